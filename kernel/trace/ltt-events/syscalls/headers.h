/* SPDX-License-Identifier: GPL-2.0 */
/*
 * LTT: where the kernel says what its system calls are called, what they take, and
 * what the values of flags and enumerations are called.
 *
 * No include guard: source.c includes it once, and so does table.c.
 */
#include <linux/syscalls.h>
#include <linux/compat.h>

#include <linux/eventfd.h>
#include <linux/eventpoll.h>
#include <linux/falloc.h>
#include <linux/fcntl.h>
#include <linux/fs.h>
#include <linux/futex.h>
#include <linux/inotify.h>
#include <linux/ioprio.h>
#include <linux/ipc.h>
#include <linux/kcmp.h>
#include <linux/mman.h>
#include <linux/net.h>
#include <linux/perf_event.h>
#include <linux/prctl.h>
#include <linux/ptrace.h>
#include <linux/random.h>
#include <linux/reboot.h>
#include <linux/resource.h>
#include <linux/sched.h>
#include <linux/seccomp.h>
#include <linux/shm.h>
#include <linux/signal.h>
#include <linux/signalfd.h>
#include <linux/socket.h>
#include <linux/splice.h>
#include <linux/stat.h>
#include <linux/syslog.h>
#include <linux/time.h>
#include <linux/timerfd.h>
#include <linux/userfaultfd.h>
#include <linux/wait.h>
#include <linux/xattr.h>
#include <uapi/linux/close_range.h>
#include <uapi/linux/fadvise.h>
#include <uapi/linux/membarrier.h>
#include <uapi/linux/memfd.h>
#include <uapi/linux/module.h>
#include <uapi/linux/mount.h>
#include <uapi/linux/pidfd.h>
#include <asm/prctl.h>
#include <asm/unistd.h>
