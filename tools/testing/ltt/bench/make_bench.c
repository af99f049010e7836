// SPDX-License-Identifier: GPL-2.0
/*
 * A large trace of what a busy machine's scheduler, interrupts and system calls would
 * leave, to measure readers with.
 *
 * usage: make_bench DIR EVENTS [STREAMS]
 *
 * There are 12 streams of three channels, or STREAMS of one.
 */
#include <sys/resource.h>

#include "../unit/ktap.h"
#include "../unit/trace_writer.h"

#define BENCH_CPUS	4u
#define PACKET		(256u << 10)
#define METADATA	(1024u * 1024)

/* The formats of the kernel's own events that such a machine has most of. */
static const struct tw_kind sched[] = {
	{ "sched_switch",
	  "prev_comm %s prev_pid %d prev_prio %d prev_state %u{0=R,1=S,2=D,4=T,8=t,16=X,32=Z,64=P,128=I,256=R+} next_comm %s next_pid %d next_prio %d",
	  { TW_STR, TW_INT(4, TW_S), TW_INT(4, TW_S), TW_INT(4, 0), TW_STR, TW_INT(4, TW_S),
	    TW_INT(4, TW_S) }, 7 },
	{ "sched_waking", "comm %s pid %d prio %d target_cpu %03u",
	  { TW_STR, TW_INT(4, TW_S), TW_INT(4, TW_S), TW_INT(4, 0) }, 4 },
};

static const struct tw_kind irq[] = {
	{ "irq_handler_entry", "irq %d name %s", { TW_INT(4, TW_S), TW_STR }, 2 },
	{ "irq_handler_exit", "irq %d ret %d{0=unhandled,1=handled,2=wake_thread}",
	  { TW_INT(4, TW_S), TW_INT(4, TW_S) }, 2 },
};

static const struct tw_kind raw_syscalls[] = {
	{ "sys_enter", "id %ld args %lx[6]", { TW_INT(8, TW_S), TW_SEQ(8, 0) }, 2 },
	{ "sys_exit", "id %ld ret %ld", { TW_INT(8, TW_S), TW_INT(8, TW_S) }, 2 },
};

static const char *const comms[] = {
	"swapper/0", "kworker/3:1", "rcu_preempt", "bash", "cc1", "make", "sshd", "ksoftirqd/2",
};

enum channel { SCHED, IRQ, SYSCALLS, NR_CHANNELS };

static const struct {
	const char *name;
	const struct tw_kind *kinds;
	unsigned int nr;
} channels[NR_CHANNELS] = {
	{ "sched", sched, ARRAY_SIZE(sched) },
	{ "irq", irq, ARRAY_SIZE(irq) },
	{ "raw_syscalls", raw_syscalls, ARRAY_SIZE(raw_syscalls) },
};

static unsigned long long state = 1;

static u32 below(u32 limit)
{
	return (ktap_random(&state) >> 32) * limit >> 32;
}

static const char *comm(void)
{
	return comms[below(ARRAY_SIZE(comms))];
}

/* A thread, and who runs on each CPU. */
struct thread {
	const char *comm;
	u32 pid;
};

static struct thread running[BENCH_CPUS];

static u8 *put_thread(u8 *p, const struct thread *thread)
{
	return tw_u32(tw_u32(tw_str(p, thread->comm), thread->pid), 120);
}

static u8 *fill(u8 *p, enum channel channel, u32 id, u32 cpu)
{
	struct thread thread;
	unsigned int i;

	switch (channel) {
	case SCHED:
		thread = (struct thread){ comm(), below(32768) };
		if (id) {
			p = put_thread(p, &thread);
			p = tw_u32(p, below(BENCH_CPUS));
			break;
		}
		p = put_thread(p, &running[cpu]);
		p = tw_u32(p, below(3));
		p = put_thread(p, &thread);
		running[cpu] = thread;
		break;
	case IRQ:
		p = tw_u32(p, 20 + below(20));
		p = id ? tw_u32(p, below(3)) : tw_str(p, "virtio3-req.0");
		break;
	default:
		p = tw_u64(p, below(330));
		if (id)
			return tw_u64(p, below(3) ? below(4096) : -11ull);
		for (i = 0; i < 6; i++)
			p = tw_u64(p, i < 3 ? ktap_random(&state) >> 17 : below(4096));
	}
	return p;
}

static void write_metadata(const char *dir)
{
	char *text = malloc(METADATA);
	struct ltt_textbuf out = { .pos = text, .end = text + METADATA };
	FILE *file = tw_create(dir, "metadata");
	unsigned int i;

	if (!text)
		err(1, "metadata");
	tw_metadata(&out, "bench", "mono", 1700000000000000000ull);
	for (i = 0; i < NR_CHANNELS; i++)
		tw_channel(&out, i, channels[i].name, channels[i].kinds, channels[i].nr);
	tw_put(file, text, out.pos - text);
	if (fclose(file))
		err(1, "metadata");
	free(text);
}

/* A file and an index for each stream, and some more. */
static void allow_files(unsigned int nr)
{
	const struct rlimit limit = { .rlim_cur = 2 * nr + 64, .rlim_max = 2 * nr + 64 };
	struct rlimit now;

	if (getrlimit(RLIMIT_NOFILE, &now))
		err(1, "getrlimit");
	if (now.rlim_cur < limit.rlim_cur && setrlimit(RLIMIT_NOFILE, &limit))
		err(1, "%u files", 2 * nr + 64);
}

int main(int argc, char **argv)
{
	unsigned int nr_streams = NR_CHANNELS * BENCH_CPUS, nr_channels = NR_CHANNELS, i;
	struct tw_stream *streams, *s;
	unsigned long long nr;
	u64 ts = 1000000000;
	u8 payload[256], *end;
	u32 id;

	if (argc != 3 && argc != 4)
		errx(2, "usage: make_bench DIR EVENTS [STREAMS]");
	nr = strtoull(argv[2], NULL, 10);
	if (argc == 4) {
		nr_streams = max_t(unsigned long, 1, strtoul(argv[3], NULL, 10));
		nr_channels = 1;
	}
	streams = calloc(nr_streams, sizeof(*streams));
	if (!streams)
		err(1, "streams");
	for (i = 0; i < BENCH_CPUS; i++)
		running[i].comm = comms[0];
	allow_files(nr_streams);
	tw_mkdir(argv[1]);
	write_metadata(argv[1]);
	for (i = 0; i < nr_streams; i++)
		tw_open(&streams[i], argv[1], channels[i % nr_channels].name, i % nr_channels,
			i / nr_channels);

	while (nr--) {
		ts += 50 + below(2000);
		i = below(nr_streams);
		/* Half of the events are the scheduler's. */
		if (nr_channels > 1)
			i = i / nr_channels * nr_channels + max(below(4), 1u) - 1;
		s = &streams[i];
		id = below(2);
		if (!s->len)
			tw_begin(s, ts);
		end = fill(payload, s->header.stream_id, id, i / nr_channels % BENCH_CPUS);
		tw_event(s, id, ts, payload, end - payload);
		if (s->len > PACKET - sizeof(payload) - LTT_HEADER_EXTENDED)
			tw_end(s, ts);
	}
	for (i = 0; i < nr_streams; i++) {
		s = &streams[i];
		if (s->len)
			tw_end(s, ts);
		tw_close(s);
	}
	free(streams);
	return 0;
}
