/* SPDX-License-Identifier: GPL-2.0 */
/*
 * LTT tests: NMIs on request, where the architecture lets a module have them,
 * and what else differs from kernel to kernel.
 */
#ifndef _LTT_TEST_COMPAT_H
#define _LTT_TEST_COMPAT_H

#include <linux/cpumask.h>
#include <linux/hrtimer.h>
#include <linux/version.h>

#ifdef CONFIG_X86_LOCAL_APIC
#include <asm/apic.h>
#include <asm/irq_vectors.h>
#include <asm/nmi.h>

static void (*ltt_test_nmi_func)(void);
static DEFINE_PER_CPU(int, ltt_test_nmi_wanted);

static int ltt_test_nmi_handler(unsigned int type, struct pt_regs *regs)
{
	/* Two requests may have become one NMI. */
	int wanted = this_cpu_xchg(ltt_test_nmi_wanted, 0);

	if (!wanted)
		return NMI_DONE;
	ltt_test_nmi_func();
	return NMI_HANDLED;
}

static inline bool ltt_test_nmi_there(void)
{
	return boot_cpu_has(X86_FEATURE_APIC);
}

static inline int ltt_test_nmi_init(void (*func)(void))
{
	ltt_test_nmi_func = func;
	return register_nmi_handler(NMI_LOCAL, ltt_test_nmi_handler, 0, KBUILD_MODNAME);
}

static inline void ltt_test_nmi_exit(void)
{
	unregister_nmi_handler(NMI_LOCAL, KBUILD_MODNAME);
}

static inline void ltt_test_nmi_send(int cpu)
{
	per_cpu(ltt_test_nmi_wanted, cpu) = 1;
	apic->send_IPI_mask(cpumask_of(cpu), NMI_VECTOR);
}
#else
static inline bool ltt_test_nmi_there(void) { return false; }
static inline int ltt_test_nmi_init(void (*func)(void)) { return 0; }
static inline void ltt_test_nmi_exit(void) { }
static inline void ltt_test_nmi_send(int cpu) { }
#endif

static inline void
ltt_test_hrtimer_setup(struct hrtimer *timer,
		       enum hrtimer_restart (*func)(struct hrtimer *timer))
{
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 13, 0)
	hrtimer_setup(timer, func, CLOCK_MONOTONIC, HRTIMER_MODE_REL_PINNED_HARD);
#else
	hrtimer_init(timer, CLOCK_MONOTONIC, HRTIMER_MODE_REL_PINNED_HARD);
	timer->function = func;
#endif
}

#endif /* _LTT_TEST_COMPAT_H */
