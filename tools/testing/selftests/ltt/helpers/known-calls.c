// SPDX-License-Identifier: GPL-2.0
/*
 * System calls with known arguments, for tracers to be compared.
 *
 * usage: known-calls native	all kinds of calls in the current directory, which is
 *				to be empty; what was called is printed, a line a call:
 *				NAME RESULT ARGUMENT...
 *	  known-calls compat	calls as a 32-bit program makes them
 *	  known-calls odd	unreadable strings, unknown numbers, signals, processes
 *	  known-calls loop N	getpid() N times; prints the nanoseconds it took
 *
 * A call of sched_get_priority_max(77) comes before what is meant to be looked at,
 * and one of sched_get_priority_max(78) behind it.
 */
#define _GNU_SOURCE
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <linux/futex.h>
#include <netinet/in.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/inotify.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define MAX_CALLS 256

#define BEGIN	77
#define END	78

/* Memory that a 32-bit program can address: two pages, and a hole behind them. */
#define LOW	((char *)0x10000000)
#define PAGE	4096

static struct {
	const char *name;
	long result;
	long args[6];
	unsigned int nr;
} calls[MAX_CALLS];
static unsigned int nr_calls;

static long call(const char *name, long number, const long *args, unsigned int nr)
{
	long a[6] = { 0 }, result;

	memcpy(a, args, nr * sizeof(*a));
	result = syscall(number, a[0], a[1], a[2], a[3], a[4], a[5]);
	if (nr_calls == MAX_CALLS)
		errx(1, "too many calls");
	calls[nr_calls].name = name;
	calls[nr_calls].result = result < 0 ? -errno : result;
	memcpy(calls[nr_calls].args, a, sizeof(a));
	calls[nr_calls++].nr = nr;
	return result;
}

/* CALL(name, arguments...): all of the call's arguments; P() around pointers. */
#define CALL(_name, ...)						\
	call(#_name, SYS_##_name, (const long []){ 0, ##__VA_ARGS__ } + 1, \
	     sizeof((const long []){ 0, ##__VA_ARGS__ }) / sizeof(long) - 1)
#define P(_pointer)	((long)(_pointer))

static void begin(void)
{
	sched_get_priority_max(BEGIN);
}

static void end(void)
{
	sched_get_priority_max(END);
}

static void print_calls(void)
{
	unsigned int i, j;

	for (i = 0; i < nr_calls; i++) {
		printf("%s %ld", calls[i].name, calls[i].result);
		for (j = 0; j < calls[i].nr; j++)
			printf(" %ld", calls[i].args[j]);
		putchar('\n');
	}
}

/* ---- native ------------------------------------------------------------------ */

static void files(void)
{
	struct iovec vec = { "hello", 5 };
	char buf[256];
	struct stat st;
	long fd, fd2;
	int p[2];

	CALL(umask, 022);
	CALL(mkdir, P("dir"), 0750);
	CALL(mkdirat, AT_FDCWD, P("dir/sub"), 0700);
	fd = CALL(open, P("file"), O_RDWR | O_CREAT | O_EXCL, 0640);
	CALL(write, fd, P("hello"), 5);
	CALL(writev, fd, P(&vec), 1);
	CALL(pwrite64, fd, P("there"), 5, 4096);
	CALL(lseek, fd, -3, SEEK_END);
	CALL(lseek, fd, 0, SEEK_SET);
	CALL(read, fd, P(buf), 5);
	CALL(pread64, fd, P(buf), 5, 4096);
	CALL(readv, fd, P(&vec), 0);
	CALL(fsync, fd);
	CALL(fdatasync, fd);
	CALL(ftruncate, fd, 1000);
	CALL(fallocate, fd, FALLOC_FL_KEEP_SIZE, 0, 8192);
	CALL(fadvise64, fd, 0, 4096, POSIX_FADV_SEQUENTIAL);
	CALL(flock, fd, LOCK_EX | LOCK_NB);
	CALL(flock, fd, LOCK_UN);
	CALL(fchmod, fd, 0600);
	CALL(fstat, fd, P(&st));
	CALL(fcntl, fd, F_GETFL, 0);
	CALL(fcntl, fd, F_SETFD, FD_CLOEXEC);
	CALL(ioctl, fd, 0x5401, P(buf));		/* TCGETS, of no terminal */
	fd2 = CALL(dup, fd);
	CALL(dup2, fd, fd2);
	CALL(dup3, fd, fd2, O_CLOEXEC);
	CALL(close, fd2);
	CALL(close, fd);
	CALL(close, fd);
	CALL(close_range, 1000, ~0u, 0);

	fd = CALL(openat, AT_FDCWD, P("file"), O_WRONLY | O_APPEND | O_CLOEXEC | O_SYNC, 0);
	CALL(close, fd);
	fd = CALL(openat, AT_FDCWD, P("dir"), O_RDONLY | O_DIRECTORY | O_NOFOLLOW, 0);
	CALL(openat, fd, P("missing"), O_RDONLY, 0);
	CALL(openat, -5, P("missing"), O_RDONLY | O_NONBLOCK | O_NOCTTY, 0);
	CALL(openat, fd, P("."), O_RDWR | O_TMPFILE, 0600);
	CALL(fchdir, fd);
	CALL(chdir, P(".."));
	CALL(close, fd);
	CALL(creat, P("other"), 0604);

	CALL(link, P("file"), P("hard"));
	CALL(linkat, AT_FDCWD, P("file"), AT_FDCWD, P("hard2"), AT_SYMLINK_FOLLOW);
	CALL(symlink, P("file"), P("soft"));
	CALL(symlinkat, P("target"), AT_FDCWD, P("soft2"));
	CALL(readlink, P("soft"), P(buf), sizeof(buf));
	CALL(readlinkat, AT_FDCWD, P("soft2"), P(buf), 3);
	CALL(access, P("file"), R_OK | W_OK);
	CALL(access, P("missing"), F_OK);
	CALL(faccessat, AT_FDCWD, P("file"), X_OK);
	CALL(newfstatat, AT_FDCWD, P("soft2"), P(&st), AT_SYMLINK_NOFOLLOW);
	CALL(newfstatat, AT_FDCWD, P("soft2"), P(&st), 0);
	CALL(stat, P("file"), P(&st));
	CALL(lstat, P("soft"), P(&st));
	CALL(chmod, P("file"), 04755);
	CALL(fchmodat, AT_FDCWD, P("file"), 0644);
	CALL(chown, P("file"), 1234, -1);
	CALL(fchownat, AT_FDCWD, P("soft"), 0, 0, AT_SYMLINK_NOFOLLOW);
	CALL(truncate, P("file"), 5);
	CALL(rename, P("hard"), P("hard3"));
	CALL(renameat2, AT_FDCWD, P("hard3"), AT_FDCWD, P("file"), RENAME_NOREPLACE);
	CALL(unlink, P("hard2"));
	CALL(unlinkat, AT_FDCWD, P("dir/sub"), AT_REMOVEDIR);
	CALL(unlinkat, AT_FDCWD, P("dir/sub"), 0);
	CALL(rmdir, P("dir"));
	CALL(rmdir, P("file"));
	CALL(mknodat, AT_FDCWD, P("fifo"), S_IFIFO | 0600, 0);
	CALL(setxattr, P("missing"), P("user.name"), P("value"), 5, 1);
	CALL(getcwd, P(buf), sizeof(buf));
	CALL(getcwd, P(buf), 1);

	CALL(pipe2, P(p), O_CLOEXEC | O_NONBLOCK);
	CALL(read, p[0], P(buf), 1);
	CALL(close, p[0]);
	CALL(close, p[1]);
	CALL(mount, P("none"), P("missing"), P("tmpfs"), MS_RDONLY | MS_NOSUID, 0);
	CALL(umount2, P("missing"), MNT_DETACH);
}

static void memory(void)
{
	long map;

	map = CALL(mmap, 0, 3 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
		   0);
	CALL(mprotect, map, PAGE, PROT_NONE);
	CALL(mprotect, map, PAGE, PROT_READ | PROT_EXEC);
	CALL(madvise, map, PAGE, MADV_DONTNEED);
	CALL(msync, map, PAGE, MS_SYNC | MS_INVALIDATE);
	CALL(mlock, map, PAGE);
	CALL(munlock, map, PAGE);
	CALL(munmap, map, 3 * PAGE);
	CALL(munmap, 1, PAGE);
	CALL(brk, 0);
	CALL(memfd_create, P("a_memfd"), MFD_CLOEXEC | MFD_ALLOW_SEALING);
	CALL(mmap, 0, PAGE, PROT_READ, MAP_SHARED, 99, 0);
}

static void sockets(void)
{
	struct sockaddr_un un = { .sun_family = AF_UNIX, .sun_path = "missing" };
	long fd, one = 1;
	char buf[8];
	int pair[2];

	fd = CALL(socket, AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	CALL(connect, fd, P(&un), sizeof(un));
	CALL(listen, fd, 5);
	CALL(close, fd);
	fd = CALL(socket, AF_INET, SOCK_DGRAM, IPPROTO_UDP);
	CALL(setsockopt, fd, SOL_SOCKET, SO_REUSEADDR, P(&one), 4);
	CALL(shutdown, fd, SHUT_WR);
	CALL(close, fd);
	CALL(socket, AF_INET6, SOCK_SEQPACKET | SOCK_NONBLOCK, 7);
	CALL(socketpair, AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, P(pair));
	CALL(sendto, pair[0], P("hi"), 2, MSG_DONTWAIT | MSG_NOSIGNAL, 0, 0);
	CALL(recvfrom, pair[1], P(buf), 8, MSG_PEEK | MSG_TRUNC, 0, 0);
	CALL(recvfrom, pair[0], P(buf), 8, 0, 0, 0);
	CALL(close, pair[0]);
	CALL(close, pair[1]);
}

static void waiting(void)
{
	struct itimerspec its = { .it_value.tv_sec = 100 };
	struct timespec ts = { .tv_nsec = 1000 };
	struct epoll_event event = { .events = EPOLLIN };
	struct itimerval itv;
	unsigned int word = 5;
	sigset_t set;
	long ep, fd;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	ep = CALL(epoll_create1, EPOLL_CLOEXEC);
	fd = CALL(eventfd2, 3, EFD_NONBLOCK | EFD_SEMAPHORE);
	CALL(epoll_ctl, ep, EPOLL_CTL_ADD, fd, P(&event));
	CALL(epoll_wait, ep, P(&event), 1, 0);
	CALL(epoll_ctl, ep, EPOLL_CTL_DEL, fd, 0);
	CALL(close, fd);
	fd = CALL(timerfd_create, CLOCK_MONOTONIC, TFD_CLOEXEC);
	CALL(timerfd_settime, fd, TFD_TIMER_ABSTIME, P(&its), 0);
	CALL(close, fd);
	fd = CALL(signalfd4, -1, P(&set), 8, SFD_NONBLOCK);
	CALL(close, fd);
	fd = CALL(inotify_init1, IN_NONBLOCK);
	CALL(inotify_add_watch, fd, P("."), IN_CREATE | IN_DELETE | IN_ONLYDIR);
	CALL(inotify_rm_watch, fd, 77);
	CALL(close, fd);
	CALL(clock_gettime, CLOCK_BOOTTIME, P(&ts));
	ts = (struct timespec){ .tv_nsec = 1000 };
	CALL(clock_nanosleep, CLOCK_MONOTONIC, 0, P(&ts), 0);
	CALL(nanosleep, P(&ts), 0);
	CALL(getitimer, ITIMER_VIRTUAL, P(&itv));
	CALL(futex, P(&word), FUTEX_WAKE_PRIVATE, 1, 0, 0, 0);
	CALL(futex, P(&word), FUTEX_WAIT, 6, 0, 0, 0);
	CALL(poll, 0, 0, 0);
}

static void processes(long pid)
{
	struct rlimit limit;
	struct rusage usage;
	sigset_t set;
	char buf[64];

	sigemptyset(&set);
	CALL(getpid);
	CALL(gettid);
	CALL(getuid);
	CALL(geteuid);
	CALL(kill, pid, 0);
	CALL(kill, 0x3fffffff, SIGTERM);
	CALL(tgkill, pid, pid, SIGCONT);
	CALL(rt_sigprocmask, SIG_BLOCK, 0, P(&set), 8);
	CALL(wait4, -1, 0, WNOHANG | WUNTRACED, 0);
	CALL(getrusage, RUSAGE_CHILDREN, P(&usage));
	CALL(prlimit64, 0, RLIMIT_NOFILE, 0, P(&limit));
	CALL(getrlimit, RLIMIT_STACK, P(&limit));
	CALL(getpriority, PRIO_PROCESS, 0);
	CALL(setpriority, PRIO_PROCESS, 0, 5);
	CALL(sched_getscheduler, 0);
	CALL(sched_yield);
	CALL(sched_get_priority_min, SCHED_FIFO);
	CALL(prctl, PR_SET_NAME, P("known"), 0, 0, 0);
	CALL(prctl, PR_GET_DUMPABLE, 0, 0, 0, 0);
	CALL(unshare, CLONE_FS | CLONE_FILES);
	CALL(setns, 99, CLONE_NEWNET);
	CALL(getrandom, P(buf), 5, GRND_NONBLOCK);
	CALL(delete_module, P("no_such_module"), O_NONBLOCK);
	CALL(personality, 0xffffffff);
	CALL(setpgid, -1, 0);
}

static void native(void)
{
	long pid = getpid();

	begin();
	files();
	memory();
	sockets();
	waiting();
	processes(pid);
	end();
	print_calls();
}

/* ---- compat ------------------------------------------------------------------ */

/* As a 32-bit program calls, and with rubbish in the upper half of a register. */
static long call32(long number, long a, long b, long c)
{
	long result;

	a |= 0x5555L << 32;
	asm volatile("int $0x80"
		     : "=a" (result)
		     : "a" (number), "b" (a), "c" (b), "d" (c)
		     : "memory", "r8", "r9", "r10", "r11");
	return result;
}

/* Numbers of asm/unistd_32.h, which has the names of native calls. */
static void compat(void)
{
	strcpy(LOW, "a_missing_file");
	begin();
	call32(20, 0, 0, 0);				/* getpid */
	call32(5, P(LOW), O_WRONLY | O_TRUNC, 0);	/* open */
	call32(33, P(LOW), 4, 0);			/* access */
	call32(19, -1, -2, SEEK_END);			/* lseek */
	call32(6, 99, 0, 0);				/* close */
	call32(37, 0x3fffffff, SIGUSR1, 0);		/* kill */
	call32(4, 1, P(LOW), 0);			/* write */
	call32(295, AT_FDCWD, P(LOW), O_RDONLY);	/* openat */
	call32(9999, 1, 2, 3);
	end();
}

/* ---- odd --------------------------------------------------------------------- */

static void handler(int sig)
{
	(void)sig;
}

static void odd(void)
{
	static char text[5001];
	char *last = LOW + 2 * PAGE;
	pid_t child;
	int status;

	signal(SIGUSR2, handler);
	memset(text, 'a', sizeof(text) - 1);
	strcpy(last - 8, "at_end_");
	begin();
	syscall(SYS_openat, AT_FDCWD, 0, O_RDONLY, 0);
	syscall(SYS_openat, AT_FDCWD, 8, O_RDONLY, 0);
	syscall(SYS_openat, AT_FDCWD, 0xffffffff80000000ul, O_RDONLY, 0);
	syscall(SYS_openat, AT_FDCWD, last - 8, O_RDONLY, 0);
	last[-1] = '_';
	syscall(SYS_openat, AT_FDCWD, last - 8, O_RDONLY, 0);
	syscall(SYS_openat, AT_FDCWD, text, O_RDONLY, 0);
	syscall(SYS_symlink, text + 4900, last - 8);
	syscall(SYS_openat, AT_FDCWD, "one\ntwo \033[1m", O_RDONLY, 0);
	syscall(9999, 1, 2, 3, 4, 5, 6);
	syscall(-1, 1, 2, 3, 4, 5, 6);
	kill(getpid(), SIGUSR2);
	child = fork();
	if (!child) {
		/* Brings the string back, which the child has not in memory. */
		access("/bin/true", X_OK);
		execl("/bin/true", "true", NULL);
		_exit(1);
	}
	waitpid(child, &status, 0);
	end();
}

/* ---- loop -------------------------------------------------------------------- */

static void loop(unsigned long n)
{
	struct timespec from, to;
	unsigned long i;

	clock_gettime(CLOCK_MONOTONIC, &from);
	for (i = 0; i < n; i++)
		syscall(SYS_getpid);
	clock_gettime(CLOCK_MONOTONIC, &to);
	printf("%lld\n", (to.tv_sec - from.tv_sec) * 1000000000ll + to.tv_nsec - from.tv_nsec);
}

int main(int argc, char **argv)
{
	if (argc == 3 && !strcmp(argv[1], "loop")) {
		loop(strtoul(argv[2], NULL, 0));
		return 0;
	}
	if (argc != 2)
		errx(2, "usage: known-calls native|compat|odd|loop N");
	if (mmap(LOW, 2 * PAGE, PROT_READ | PROT_WRITE,
		 MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0) != LOW)
		err(1, "mmap");
	/* Tracers cannot bring a string into memory. */
	if (mlockall(MCL_CURRENT))
		err(1, "mlockall");
	if (!strcmp(argv[1], "native"))
		native();
	else if (!strcmp(argv[1], "compat"))
		compat();
	else if (!strcmp(argv[1], "odd"))
		odd();
	else
		errx(2, "no %s", argv[1]);
	return 0;
}
