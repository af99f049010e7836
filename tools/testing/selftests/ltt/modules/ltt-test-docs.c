// SPDX-License-Identifier: GPL-2.0
/*
 * LTT test: the markers that the documentation shows. The test compares their
 * text with that of the documents, and what they record with what it should be.
 */

#include <linux/etherdevice.h>
#include <linux/module.h>
#include <linux/skbuff.h>
#include <linux/tcp.h>
#include <net/inet_sock.h>
#include <linux/ltt/marker.h>

struct queue {
	u32 id;
};

/* README.md */
static void submit(const struct queue *q, const struct sk_buff *skb)
{
	trace_mark(mydriver, submit, "queue %u len %u dest %pM", q->id, skb->len,
		   eth_hdr(skb)->h_dest);
}

/* Documentation/trace/ltt/markers.rst */
static void retransmit(const struct inet_sock *inet, const struct tcphdr *th)
{
	trace_mark(net, retransmit, "saddr %pI4 sport %u seq %u",
		   &inet->inet_saddr, ntohs(inet->inet_sport), ltt_be32(th->seq));
}

static int __init ltt_test_docs_init(void)
{
	static const struct ethhdr eth = {
		.h_dest = { 0x52, 0x54, 0x00, 0x12, 0x34, 0x56 },
	};
	const struct tcphdr th = { .seq = htonl(305419896) };
	const struct queue q = { .id = 7 };
	struct inet_sock *inet;
	struct sk_buff *skb;

	skb = alloc_skb(sizeof(eth) + 46, GFP_KERNEL);
	inet = kzalloc(sizeof(*inet), GFP_KERNEL);
	if (!skb || !inet) {
		kfree_skb(skb);
		kfree(inet);
		return -ENOMEM;
	}
	skb_reset_mac_header(skb);
	skb_put_data(skb, &eth, sizeof(eth));
	skb_put_zero(skb, 46);
	submit(&q, skb);
	kfree_skb(skb);

	inet->inet_saddr = htonl(0xc0000201);
	inet->inet_sport = htons(443);
	retransmit(inet, &th);
	kfree(inet);
	return 0;
}

static void __exit ltt_test_docs_exit(void)
{
}

module_init(ltt_test_docs_init);
module_exit(ltt_test_docs_exit);

MODULE_DESCRIPTION("LTT test: the markers that the documentation shows");
MODULE_LICENSE("GPL");
