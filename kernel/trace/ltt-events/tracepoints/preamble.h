/* SPDX-License-Identifier: GPL-2.0 */
/*
 * LTT: what a header of trace events takes for granted, because the kernel's file that
 * makes its tracepoints has included it before. Headers that need nothing are not
 * named. Macros rather than inline functions stand in for what is not exported.
 */
#include "prefix.h"

#if defined(LTT_HEADER_9p)
#include <net/9p/9p.h>
#include <net/9p/client.h>
#elif defined(LTT_HEADER_asoc)
#include <sound/jack.h>
#include <sound/soc.h>
#elif defined(LTT_HEADER_devlink)
#include <net/devlink.h>
#elif defined(LTT_HEADER_dma_fence)
#include <linux/dma-fence.h>
#elif defined(LTT_HEADER_fib6)
#include <net/ip6_fib.h>
/* The types of routes that mean an error. */
#define ip6_rt_type_to_error(_type)					\
({									\
	const u8 __route = (_type);					\
									\
	__route == RTN_UNREACHABLE ? -EHOSTUNREACH :			\
	__route == RTN_PROHIBIT ? -EACCES :				\
	__route == RTN_THROW ? -EAGAIN :				\
	__route == RTN_BLACKHOLE || __route == RTN_NAT ||		\
	__route == RTN_XRESOLVE ? -EINVAL : 0;				\
})
#elif defined(LTT_HEADER_filelock)
#if __has_include(<linux/filelock.h>)
#include <linux/filelock.h>
#endif
#elif defined(LTT_HEADER_fs_dax)
#if __has_include(<linux/pfn_t.h>)
#include <linux/pfn_t.h>
#endif
#elif defined(LTT_HEADER_handshake)
#include <linux/in6.h>
#include <net/sock.h>
#elif defined(LTT_HEADER_i2c_slave)
#include <linux/i2c.h>
#elif defined(LTT_HEADER_ib_mad) || defined(LTT_HEADER_ib_umad)
#include <rdma/ib_mad.h>
#include <rdma/ib_user_mad.h>
#elif defined(LTT_HEADER_icmp)
#include <linux/ip.h>
#include <linux/udp.h>
#elif defined(LTT_HEADER_io_uring)
#include <linux/io_uring.h>
#define io_uring_get_opcode ltt_bridge_io_uring_name
#elif defined(LTT_HEADER_irq)
#include <linux/interrupt.h>
#elif defined(LTT_HEADER_kmem)
#include <linux/slab.h>
#include "pageblock.h"
/*
 * What a cache is like; newer kernels keep that to themselves. Functions in there look
 * into a slab, which older ones do, too: nobody calls them.
 */
#define slab ltt_bridge_slab
#define slab_address(_slab)	NULL
struct slab {
	void *s_mem;
	unsigned int objects;
};
#if defined(CONFIG_SLUB) && __has_include(<linux/slub_def.h>)
#include <linux/slub_def.h>
#elif defined(CONFIG_SLAB) && __has_include(<linux/slab_def.h>)
#include <linux/slab_def.h>
#endif
#undef slab
#undef slab_address
#define ptr_to_hashval ltt_bridge_ptr_to_hashval
#elif defined(LTT_HEADER_kvm)
#include <linux/kvm_host.h>
#elif defined(LTT_HEADER_mctp)
#include <net/mctp.h>
#elif defined(LTT_HEADER_mdio)
#include <linux/phy.h>
#elif defined(LTT_HEADER_migrate) || defined(LTT_HEADER_compaction)
#include <linux/compaction.h>
#include <linux/migrate.h>
#elif defined(LTT_HEADER_mptcp)
#include <net/mptcp.h>
#include <net/sock.h>
#elif defined(LTT_HEADER_net)
#include <linux/netdevice.h>
#define netdev_drivername(dev)						\
	((dev)->dev.parent && (dev)->dev.parent->driver &&		\
	 (dev)->dev.parent->driver->name ? (dev)->dev.parent->driver->name : "")
#elif defined(LTT_HEADER_neigh)
#include <net/ipv6.h>
#elif defined(LTT_HEADER_netfs)
#include <linux/netfs.h>
#elif defined(LTT_HEADER_nilfs2)
#include <linux/blk_types.h>
#include <linux/nilfs2_ondisk.h>
#elif defined(LTT_HEADER_osnoise)
#include <trace/events/irq.h>
#elif defined(LTT_HEADER_page_ref)
#include "pageblock.h"
#elif defined(LTT_HEADER_pagemap)
#include <linux/mm_inline.h>
#include <linux/swap.h>
#elif defined(LTT_HEADER_ras_event)
#define TRACE_INCLUDE_PATH ../../include/ras
#elif defined(LTT_HEADER_rpcgss)
#include <linux/sunrpc/auth_gss.h>
#include <linux/sunrpc/gss_err.h>
#include <linux/sunrpc/clnt.h>
#include <linux/sunrpc/sched.h>
#include <linux/sunrpc/svc.h>
#include <linux/sunrpc/svc_xprt.h>
#elif defined(LTT_HEADER_sched)
#ifdef CONFIG_NUMA_BALANCING
#include <linux/sched/numa_balancing.h>
/*
 * How the scheduler's struct numa_group begins; test-bridge.sh compares that with the
 * kernel's own description of its types.
 */
struct ltt_bridge_numa_group {
	refcount_t refcount;
	spinlock_t lock;	/* of what follows; not taken here */
	int nr_tasks;
	pid_t gid;
};
/* No group has number 0. Preemption is disabled. */
#define task_numa_group_id(_task)					\
({									\
	const struct ltt_bridge_numa_group *__group =			\
		(const void *)rcu_dereference_sched((_task)->numa_group); \
									\
	__group ? __group->gid : 0;					\
})
#endif
#elif defined(LTT_HEADER_scsi)
/* Does the buffer begin with one of the response codes that there are? */
#define SCSI_SENSE_VALID(cmd) (((cmd)->sense_buffer[0] & 0x70) == 0x70)
#elif defined(LTT_HEADER_siox)
#include <linux/siox.h>
#elif defined(LTT_HEADER_spi)
#include <linux/spi/spi.h>
#elif defined(LTT_HEADER_sunrpc)
#include <linux/sunrpc/clnt.h>
#include <linux/sunrpc/sched.h>
#include <linux/sunrpc/svc.h>
#define rpc_proc_name(_task)						\
	(!(_task)->tk_msg.rpc_proc ? "no proc" :			\
	 (_task)->tk_msg.rpc_proc->p_name ?: "NULL")
#define svc_proc_name(_rqst)						\
	((_rqst) && (_rqst)->rq_procinfo ? (_rqst)->rq_procinfo->pc_name : "unknown")
/* Remaining jiffies; 0 if expired, or unlimited. */
#define rpc_task_timeout(_task)						\
({									\
	const unsigned long __end = READ_ONCE((_task)->tk_timeout);	\
	const unsigned long __now = jiffies;				\
									\
	__end && time_before(__now, __end) ? __end - __now : 0;		\
})
#elif defined(LTT_HEADER_swiotlb)
#include <linux/swiotlb.h>
#elif defined(LTT_HEADER_syscalls)
/* sys_enter with six arguments, and sys_exit, have no field that is not assigned. */
#undef LTT_BRIDGE_ASSIGNS_ALL
#define LTT_BRIDGE_ASSIGNS_ALL(_longs)	((_longs) == 7 || (_longs) == 2)
#elif defined(LTT_HEADER_target)
/* Bytes of a SCSI command, by the three upper bits of its code. */
#define scsi_command_size_tbl ltt_bridge_scsi_sizes
#include <scsi/scsi_common.h>
const unsigned char scsi_command_size_tbl[8] = { 6, 10, 10, 12, 16, 12, 10, 10 };
#elif defined(LTT_HEADER_tcp)
#include <linux/sock_diag.h>
#include <net/tcp.h>
#include <trace/events/sock.h>
/* A socket's cookie, 0 if it has none yet. */
#define sock_gen_cookie(sk) ((u64)atomic64_read(&(sk)->sk_cookie))
#elif defined(LTT_HEADER_thermal) || defined(LTT_HEADER_thermal_power_allocator)
#include <linux/thermal.h>
#elif defined(LTT_HEADER_timer)
#include <linux/hrtimer.h>
#include <linux/tick.h>
#include <linux/timer.h>
#elif defined(LTT_HEADER_udp)
#include <linux/ip.h>
#include <linux/ipv6.h>
#include <net/sock.h>
#elif defined(LTT_HEADER_v4l2)
#include <media/v4l2-common.h>
#include <media/v4l2-dev.h>
#include <media/v4l2-fh.h>
#elif defined(LTT_HEADER_vmscan)
#include <linux/memcontrol.h>
#include <linux/mm_inline.h>
#include <linux/swap.h>
#elif defined(LTT_HEADER_vsock_virtio_transport_common)
#include <linux/virtio_vsock.h>
#elif defined(LTT_HEADER_writeback)
#include <linux/backing-dev.h>
#include <linux/memcontrol.h>
#include <linux/pagemap.h>
#include <linux/writeback.h>
#elif defined(LTT_HEADER_xen)
#include <xen/interface/xen.h>
#endif
