// SPDX-License-Identifier: GPL-2.0
/*
 * LTT: calls the clients of traces. See <linux/ltt/client.h>.
 *
 * The control layer is the first client: it creates a trace's directory, in which the others
 * have theirs. When a trace is created, clients are called in the order in which they were
 * registered; when it is destroyed, in reverse order.
 *
 * A client's directory is removed without ltt_mutex, see control.h, and before the client
 * frees what its files need.
 */

#include <linux/debugfs.h>
#include <linux/err.h>
#include <linux/export.h>
#include <linux/lockdep.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/ltt/client.h>

#include "core.h"
#include "frozen.h"

DEFINE_MUTEX(ltt_remove_lock);	/* see core.h */

/* Protected by ltt_mutex. */
static LIST_HEAD(clients);

/**
 * struct ltt_attachment - a client's interest in a trace
 * @client:	the client
 * @trace:	the trace
 * @data:	what add_trace() returned
 * @dir:	the client's directory in the trace, NULL if there is none
 * @in_trace:	in ltt_trace.clients, or among those to be released
 * @in_client:	in ltt_client.traces
 *
 * The lists are protected by ltt_mutex.
 */
struct ltt_attachment {
	struct ltt_client *client;
	struct ltt_trace *trace;
	void *data;
	struct dentry *dir;
	struct list_head in_trace;
	struct list_head in_client;
};

/**
 * ltt_mkdir() - create a directory in debugfs that only root can access
 * @name:	its name
 * @parent:	where, or an ERR_PTR
 *
 * Context: task, may sleep.
 * Return: the directory or an ERR_PTR, that of @parent if it was one.
 */
struct dentry *ltt_mkdir(const char *name, struct dentry *parent)
{
	struct dentry *dentry = debugfs_create_dir(name, parent);

	/* It is still empty, and its files will have modes of their own. */
	if (!IS_ERR(dentry))
		d_inode(dentry)->i_mode &= ~0077;
	return dentry;
}

/* ---- a client and a trace ------------------------------------------------------- */

static int add_files(struct ltt_attachment *at)
{
	struct dentry *parent = at->trace->dir;
	struct dentry *dir;

	if (!parent)
		return 0;
	if (at->client->dir) {
		dir = ltt_mkdir(at->client->dir, parent);
		if (IS_ERR(dir))
			return PTR_ERR(dir);
		at->dir = dir;
	}
	return at->client->add_files ? at->client->add_files(at->data, parent, at->dir) : 0;
}

static void add_channel(const struct ltt_attachment *at, struct ltt_trace_channel *tchan)
{
	const struct ltt_client *client = at->client;

	if (client->add_channel && (at->dir || !client->dir))
		client->add_channel(at->data, tchan, at->dir);
}

/*
 * If that fails, some of the client's files may exist until the trace or the client is
 * removed.
 */
static int attach(struct ltt_client *client, struct ltt_trace *trace)
{
	struct ltt_attachment *at;
	struct ltt_trace_channel *tchan;
	void *data;
	int err;

	if (trace->frozen && !client->frozen)
		return 0;
	at = kzalloc(sizeof(*at), GFP_KERNEL);
	if (!at)
		return -ENOMEM;
	data = client->add_trace(trace);
	if (IS_ERR_OR_NULL(data)) {
		kfree(at);
		return PTR_ERR(data);
	}
	at->client = client;
	at->trace = trace;
	at->data = data;
	list_add_tail(&at->in_trace, &trace->clients);
	list_add_tail(&at->in_client, &client->traces);
	err = add_files(at);
	if (err)
		return err;
	list_for_each_entry(tchan, &trace->tchans, node) {
		if (tchan->known && !(tchan->channel->flags & LTT_CHANNEL_PRIVATE))
			add_channel(at, tchan);
	}
	return 0;
}

/* Call the client and move it from the trace to @gone: nothing is added from now on. */
static void detach(struct ltt_attachment *at, struct list_head *gone)
{
	lockdep_assert_held(&ltt_mutex);
	if (at->client->remove_trace)
		at->client->remove_trace(at->data);
	list_del(&at->in_client);
	list_move_tail(&at->in_trace, gone);
}

/*
 * Remove the files of the clients in @gone. This waits for running operations on them, which
 * user memory may delay: must be called without ltt_mutex.
 */
static void release(struct list_head *gone)
{
	struct ltt_attachment *at, *tmp;

	list_for_each_entry_safe(at, tmp, gone, in_trace) {
		debugfs_remove(at->dir);
		if (at->client->release_trace)
			at->client->release_trace(at->data);
		kfree(at);
	}
}

/* ---- clients -------------------------------------------------------------------- */

/* To a trace that is there already. */
static void attach_late(struct ltt_client *client, struct ltt_trace *trace)
{
	int err = attach(client, trace);

	if (err)
		ltt_log_error(trace->log, "%s: creation failed (%pe)", client->name, ERR_PTR(err));
}

/**
 * ltt_client_register() - register a client of traces
 * @client:	describes it; must stay valid until it is unregistered
 *
 * It is called for all existing traces now. If memory runs out for one of them, the trace's
 * error log says so.
 *
 * Context: task, may sleep; ltt_mutex not held.
 * Return: 0; -EEXIST if there is a client of that name.
 */
int ltt_client_register(struct ltt_client *client)
{
	struct ltt_client *other;
	struct ltt_frozen *frozen;
	struct ltt_trace *trace;
	int ret;

	mutex_lock(&ltt_remove_lock);
	mutex_lock(&ltt_mutex);
	list_for_each_entry(other, &clients, node) {
		if (!strcmp(other->name, client->name)) {
			ret = -EEXIST;
			goto unlock;
		}
	}
	INIT_LIST_HEAD(&client->traces);
	list_add_tail(&client->node, &clients);
	list_for_each_entry(trace, &ltt_traces, node)
		attach_late(client, trace);
	list_for_each_entry(frozen, &ltt_frozen_traces, node) {
		if (!frozen->removed)
			attach_late(client, frozen->trace);
	}
	ret = 0;
unlock:
	mutex_unlock(&ltt_mutex);
	mutex_unlock(&ltt_remove_lock);
	return ret;
}
EXPORT_SYMBOL_GPL(ltt_client_register);

/**
 * ltt_client_unregister() - undo ltt_client_register()
 * @client:	as registered; afterwards its functions are not called, and its files are gone
 *
 * Context: task, may sleep; ltt_mutex not held. Waits for operations that run on
 * the client's files.
 */
void ltt_client_unregister(struct ltt_client *client)
{
	struct ltt_attachment *at, *tmp;
	LIST_HEAD(gone);

	mutex_lock(&ltt_remove_lock);
	mutex_lock(&ltt_mutex);
	list_del(&client->node);
	list_for_each_entry_safe(at, tmp, &client->traces, in_client)
		detach(at, &gone);
	mutex_unlock(&ltt_mutex);

	release(&gone);
	mutex_unlock(&ltt_remove_lock);
}
EXPORT_SYMBOL_GPL(ltt_client_unregister);

/* ---- changes of a trace --------------------------------------------------------- */

/**
 * ltt_clients_add_trace() - call all clients for a new trace
 * @trace:	the trace
 *
 * After a failure some of its files may exist, and be in use: the caller marks
 * the trace dying, drops ltt_mutex and calls ltt_clients_remove_trace(), as for
 * any other trace.
 *
 * Context: task, may sleep; ltt_mutex held.
 * Return: 0; -ENOMEM; -EEXIST while the files of an older trace of this name are being
 * removed.
 */
int ltt_clients_add_trace(struct ltt_trace *trace)
{
	struct ltt_client *client;
	int err;

	list_for_each_entry(client, &clients, node) {
		err = attach(client, trace);
		if (err)
			return err;
	}
	return 0;
}

/**
 * ltt_clients_remove_trace() - remove the files of a trace and detach its clients
 * @trace:	the trace, dying, so that no files are added any more
 *
 * When this returns no operation runs on any of its files, except on those for which
 * clients hold references of their own; open files fail with -EIO.
 *
 * Context: task, may sleep; ltt_mutex not held: running operations may need it.
 */
void ltt_clients_remove_trace(struct ltt_trace *trace)
{
	struct ltt_attachment *at, *tmp;
	LIST_HEAD(gone);

	mutex_lock(&ltt_remove_lock);
	mutex_lock(&ltt_mutex);
	list_for_each_entry_safe_reverse(at, tmp, &trace->clients, in_trace)
		detach(at, &gone);
	mutex_unlock(&ltt_mutex);

	release(&gone);
	mutex_unlock(&ltt_remove_lock);
}

/**
 * ltt_clients_add_channel() - a channel is used in a trace, and its home has buffers
 * @tchan:	the channel in the trace
 *
 * Context: task, may sleep; ltt_mutex held.
 */
void ltt_clients_add_channel(struct ltt_trace_channel *tchan)
{
	struct ltt_attachment *at;

	if (tchan->trace->dying || tchan->channel->flags & LTT_CHANNEL_PRIVATE)
		return;
	list_for_each_entry(at, &tchan->trace->clients, in_trace)
		add_channel(at, tchan);
}

/**
 * ltt_clients_start_trace() - a trace was stopped, and records from now on
 * @trace:	the trace
 *
 * Context: task, may sleep; ltt_mutex held.
 */
void ltt_clients_start_trace(struct ltt_trace *trace)
{
	struct ltt_attachment *at;

	list_for_each_entry(at, &trace->clients, in_trace) {
		if (at->client->start_trace)
			at->client->start_trace(at->data);
	}
}

/**
 * ltt_clients_stop_trace() - a trace that was started does not record any more
 * @trace:	the trace; it may be about to be destroyed
 *
 * Context: task, may sleep; ltt_mutex held.
 */
void ltt_clients_stop_trace(struct ltt_trace *trace)
{
	struct ltt_attachment *at;

	list_for_each_entry(at, &trace->clients, in_trace) {
		if (at->client->stop_trace)
			at->client->stop_trace(at->data);
	}
}
