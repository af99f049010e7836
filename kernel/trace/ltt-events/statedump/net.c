// SPDX-License-Identifier: GPL-2.0
/*
 * LTT: the state dump's network interfaces and their addresses, in all namespaces.
 *
 * Takes neither the RTNL lock nor references to interfaces, whose removal would wait for
 * us. Each step looks up the next interface by number.
 */

#include <linux/etherdevice.h>
#include <linux/inetdevice.h>
#include <linux/netdevice.h>
#include <linux/rculist.h>
#include <linux/string.h>
#include <net/addrconf.h>
#include <net/if_inet6.h>
#include <net/net_namespace.h>

#include "statedump.h"

/**
 * struct interface - what is recorded of a network interface
 * @ifindex:	its number in the namespace
 * @name:	its name
 * @type:	ARPHRD_*
 * @flags:	IFF_*
 * @mtu:	bytes
 * @mac:	hardware address; zeros if that is not one of 6 bytes
 */
struct interface {
	int ifindex;
	char name[IFNAMSIZ];
	unsigned int type;
	unsigned int flags;
	unsigned int mtu;
	u8 mac[ETH_ALEN];
};

/**
 * struct address - what is recorded of an address
 * @bytes:	the address, 4 or 16 bytes
 * @prefix:	bits of the network
 * @scope:	as the kernel numbers them, for IPv4 and IPv6 differently
 */
struct address {
	u8 bytes[sizeof(struct in6_addr)];
	unsigned int prefix;
	unsigned int scope;
};

typedef bool (*get_address_t)(const struct net_device *dev, unsigned int index,
			      struct address *address);

static void copy_interface(const struct net_device *dev, struct interface *interface)
{
	interface->ifindex = dev->ifindex;
	strscpy(interface->name, dev->name, sizeof(interface->name));
	interface->type = dev->type;
	interface->flags = READ_ONCE(dev->flags) & ~IFF_RUNNING;
	if (netif_running(dev) && netif_oper_up(dev))
		interface->flags |= IFF_RUNNING;
	interface->mtu = dev->mtu;
	memset(interface->mac, 0, sizeof(interface->mac));
	if (dev->addr_len == ETH_ALEN)
		memcpy(interface->mac, dev->dev_addr, ETH_ALEN);
}

/* The interface with the lowest number above that in @interface. */
static bool next_interface(struct net *net, struct interface *interface)
{
	const struct net_device *dev, *next = NULL;

	rcu_read_lock();
	for_each_netdev_rcu(net, dev) {
		if (dev->ifindex > interface->ifindex &&
		    (!next || dev->ifindex < next->ifindex))
			next = dev;
	}
	if (next)
		copy_interface(next, interface);
	rcu_read_unlock();
	return next;
}

/* Address number @index of an interface. Called under RCU. */
static bool get_ipv4(const struct net_device *dev, unsigned int index,
		     struct address *address)
{
	const struct in_device *in_dev = __in_dev_get_rcu(dev);
	const struct in_ifaddr *ifa;

	if (!in_dev)
		return false;
	in_dev_for_each_ifa_rcu(ifa, in_dev) {
		if (index--)
			continue;
		memcpy(address->bytes, &ifa->ifa_local, sizeof(ifa->ifa_local));
		address->prefix = ifa->ifa_prefixlen;
		address->scope = ifa->ifa_scope;
		return true;
	}
	return false;
}

static bool get_ipv6(const struct net_device *dev, unsigned int index,
		     struct address *address)
{
#if IS_ENABLED(CONFIG_IPV6)
	const struct inet6_dev *in6_dev = __in6_dev_get(dev);
	const struct inet6_ifaddr *ifa;

	if (!in6_dev)
		return false;
	list_for_each_entry_rcu(ifa, &in6_dev->addr_list, if_list) {
		if (index--)
			continue;
		memcpy(address->bytes, &ifa->addr, sizeof(ifa->addr));
		address->prefix = ifa->prefix_len;
		address->scope = ifa->scope;
		return true;
	}
#endif
	return false;
}

static bool get_address(struct net *net, int ifindex, get_address_t get,
			unsigned int index, struct address *address)
{
	const struct net_device *dev;
	bool found;

	rcu_read_lock();
	dev = dev_get_by_index_rcu(net, ifindex);
	found = dev && get(dev, index, address);
	rcu_read_unlock();
	return found;
}

static void tell(struct state_dump *dump, struct net *net, const struct interface *interface)
{
	const unsigned int ns = net->ns.inum;
	const int ifindex = interface->ifindex;
	struct address address;
	unsigned int i;

	state_mark(dump, STATE_INTERFACE, network_interface,
		   "net_ns %u ifindex %d name %s type %u flags %x{|0x1=up|0x8=loopback|0x10=pointopoint|0x40=running|0x100=promisc} mtu %u mac %pM",
		   ns, ifindex, interface->name, interface->type, interface->flags,
		   interface->mtu, interface->mac);
	for (i = 0; get_address(net, ifindex, get_ipv4, i, &address); i++)
		state_mark(dump, STATE_IPV4, network_ipv4,
			   "net_ns %u ifindex %d name %s address %pI4 prefix %u scope %u",
			   ns, ifindex, interface->name, address.bytes, address.prefix,
			   address.scope);
	for (i = 0; get_address(net, ifindex, get_ipv6, i, &address); i++)
		state_mark(dump, STATE_IPV6, network_ipv6,
			   "net_ns %u ifindex %d name %s address %pI6c prefix %u scope %u",
			   ns, ifindex, interface->name, address.bytes, address.prefix,
			   address.scope);
}

/*
 * The namespace after @net, whose reference is dropped; the first one for NULL. Namespaces
 * stay in the list while there is a reference.
 */
static struct net *next_net(struct net *net)
{
	struct list_head *node = net ? &net->list : &net_namespace_list;
	struct net *next = NULL;

	rcu_read_lock();
	do {
		node = rcu_dereference(list_next_rcu(node));
		if (node == &net_namespace_list)
			break;
		next = maybe_get_net(list_entry(node, struct net, list));
	} while (!next);
	rcu_read_unlock();
	if (net)
		put_net(net);
	return next;
}

/**
 * ltt_state_net() - record all network interfaces and their addresses
 * @dump:	the dump
 *
 * Context: task, sleeps.
 */
void ltt_state_net(struct state_dump *dump)
{
	const unsigned long any = BIT(STATE_INTERFACE) | BIT(STATE_IPV4) | BIT(STATE_IPV6);
	struct interface interface;
	struct net *net;

	if (!(dump->wanted & any))
		return;
	for (net = next_net(NULL); net; net = next_net(net)) {
		interface.ifindex = 0;
		while (!ltt_state_cancelled(dump) && next_interface(net, &interface))
			tell(dump, net, &interface);
		cond_resched();
		if (ltt_state_cancelled(dump)) {
			put_net(net);
			return;
		}
	}
}
