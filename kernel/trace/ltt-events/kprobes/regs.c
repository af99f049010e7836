// SPDX-License-Identifier: GPL-2.0
/*
 * LTT: registers by name. The kernel's own table is not for modules.
 */
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/ptrace.h>
#include <linux/stddef.h>
#include <linux/string.h>

#include "../dynamic/parse.h"

struct reg {
	const char *name;
	int offset;
};

#define REG(_name, _member)	{ .name = _name, .offset = offsetof(struct pt_regs, _member) }

static const struct reg regs[] = {
#ifdef CONFIG_X86
	REG("ax", ax),
	REG("bx", bx),
	REG("cx", cx),
	REG("dx", dx),
	REG("si", si),
	REG("di", di),
	REG("bp", bp),
	REG("sp", sp),
	REG("r8", r8),
	REG("r9", r9),
	REG("r10", r10),
	REG("r11", r11),
	REG("r12", r12),
	REG("r13", r13),
	REG("r14", r14),
	REG("r15", r15),
	REG("ip", ip),
	REG("cs", cs),
	REG("ss", ss),
	REG("flags", flags),
#endif
	{ }
};

/**
 * ltt_kprobe_register() - look for a register
 * @name:	its name as tracefs knows it, not terminated
 * @len:	characters of @name
 *
 * Registers have names on x86-64 only. The arguments of a function can be had
 * everywhere, as $argN.
 *
 * Return: its offset in struct pt_regs, -ENOENT if there is none.
 */
int ltt_kprobe_register(const char *name, size_t len)
{
	const struct reg *reg;

	for (reg = regs; reg->name; reg++) {
		if (strlen(reg->name) == len && !memcmp(reg->name, name, len))
			return reg->offset;
	}
	return -ENOENT;
}
