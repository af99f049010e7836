// SPDX-License-Identifier: GPL-2.0
/*
 * A large trace of what a busy machine's scheduler, interrupts and system calls would
 * leave, to measure readers with.
 *
 * usage: make_bench DIR EVENTS
 */
#include "ktap.h"
#include "trace_writer.h"

#define BENCH_CPUS		4u
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

static u8 *fill(u8 *p, enum channel channel, u32 id)
{
	unsigned int i;

	switch (channel) {
	case SCHED:
		p = tw_str(p, comm());
		p = tw_u32(p, below(32768));
		p = tw_u32(p, 120);
		if (id) {
			p = tw_u32(p, below(BENCH_CPUS));
			break;
		}
		p = tw_u32(p, below(3));
		p = tw_str(p, comm());
		p = tw_u32(p, below(32768));
		p = tw_u32(p, 120);
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
	struct ltt_out out = { .pos = text, .end = text + METADATA };
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

int main(int argc, char **argv)
{
	static struct tw_stream streams[NR_CHANNELS][BENCH_CPUS];
	unsigned long long nr, i;
	struct tw_stream *s;
	u64 ts = 1000000000;
	u8 payload[256], *end;
	u32 channel, cpu, id;

	if (argc != 3)
		errx(2, "usage: make_bench DIR EVENTS");
	nr = strtoull(argv[2], NULL, 10);
	tw_mkdir(argv[1]);
	write_metadata(argv[1]);
	for (channel = 0; channel < NR_CHANNELS; channel++)
		for (cpu = 0; cpu < BENCH_CPUS; cpu++)
			tw_open(&streams[channel][cpu], argv[1], channels[channel].name,
				channel, cpu);

	for (i = 0; i < nr; i++) {
		ts += 50 + below(2000);
		/* Half of the events are the scheduler's. */
		channel = max(below(4), 1u) - 1;
		id = below(2);
		s = &streams[channel][below(BENCH_CPUS)];
		if (!s->len)
			tw_begin(s, ts);
		end = fill(payload, channel, id);
		tw_event(s, id, ts, payload, end - payload);
		if (s->len > PACKET - sizeof(payload) - LTT_HEADER_EXTENDED)
			tw_end(s, ts);
	}
	for (channel = 0; channel < NR_CHANNELS; channel++) {
		for (cpu = 0; cpu < BENCH_CPUS; cpu++) {
			s = &streams[channel][cpu];
			if (s->len)
				tw_end(s, ts);
			tw_close(s);
		}
	}
	return 0;
}
