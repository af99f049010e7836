// SPDX-License-Identifier: GPL-2.0
/*
 * LTT: reading a stream through a mapping of its buffer.
 *
 * In discard mode the sub-buffers themselves are mapped, one after the other, followed
 * by a page for the last packet, which has no events and lies in no
 * sub-buffer. In overwrite mode it is the stream's own copy of the current packet.
 * Mappings are read-only, hold no references to pages, and keep the file.
 */

#include <linux/fs.h>
#include <linux/mm.h>
#include <linux/uaccess.h>
#include <linux/vmalloc.h>
#include <linux/ltt/compat.h>
#include <uapi/linux/ltt.h>

#include "binary.h"

/* Size of the mapped ring. */
static u64 ring_size(const struct ltt_binary_stream *stream)
{
	const struct ltt_buf *buf = stream->buf;

	return buf->overwrite ? 0 : ((u64)buf->sb_mask + 1) << buf->sb_order;
}

static u64 mmap_size(const struct ltt_binary_stream *stream)
{
	if (stream->buf->overwrite)
		return ltt_stream_subbuf(stream);
	return ring_size(stream) + PAGE_SIZE;
}

/* The memory at @offset of the mapping, and how many contiguous bytes it has there. */
static unsigned long pfn_at(const struct ltt_binary_stream *stream, u64 offset, size_t *size)
{
	const struct ltt_buf *buf = stream->buf;
	u64 ring = ring_size(stream);
	const u8 *base;

	if (offset < ring) {
		base = buf->sb[offset >> buf->sb_order].base + (offset & buf->off_mask);
		*size = ltt_stream_subbuf(stream) - (offset & buf->off_mask);
		/* Areas are mapped as devices are. */
		return is_vmalloc_addr(base) ? vmalloc_to_pfn(base) :
					       page_to_pfn(virt_to_page(base));
	}
	*size = PAGE_SIZE;
	return vmalloc_to_pfn(stream->shadow + (offset - ring));
}

/**
 * ltt_stream_mmap() - map a stream's packets
 * @file:	the stream
 * @vma:	where
 *
 * Context: task, mmap_lock held; may sleep.
 * Return: 0; -EACCES (writable mapping), -EINVAL (range beyond the end), -ENODEV
 * (sub-buffers are smaller than pages, or the CPU has no buffer), -ENOMEM.
 */
int ltt_stream_mmap(struct file *file, struct vm_area_struct *vma)
{
	struct ltt_binary_stream *stream = file->private_data;
	u64 offset = (u64)vma->vm_pgoff << PAGE_SHIFT;
	u64 len = vma->vm_end - vma->vm_start;
	unsigned long addr, pfn;
	size_t size;
	int err;

	if (vma->vm_flags & (VM_WRITE | VM_EXEC))
		return -EACCES;
	if (ltt_stream_subbuf(stream) < PAGE_SIZE)
		return -ENODEV;
	/* ACQUIRE pairs with RELEASE of install:A: the CPU may be coming online. */
	if (!smp_load_acquire(&stream->buf->sb))	/* LMM(ltt_stream_mmap:A) */
		return -ENODEV;
	if (offset > mmap_size(stream) || len > mmap_size(stream) - offset)
		return -EINVAL;

	ltt_vm_flags_mod(vma, VM_DONTEXPAND | VM_DONTDUMP, VM_MAYWRITE | VM_MAYEXEC);
	for (addr = vma->vm_start; addr < vma->vm_end; addr += size, offset += size) {
		pfn = pfn_at(stream, offset, &size);
		size = min_t(size_t, size, vma->vm_end - addr);
		err = remap_pfn_range(vma, addr, pfn, size, vma->vm_page_prot);
		if (err)
			return err;
	}
	return 0;
}

/* All of it is constant. */
static long get_info(struct ltt_binary_stream *stream, void __user *arg)
{
	const struct ltt_buf *buf = stream->buf;
	struct ltt_stream_info info = {
		.mmap_size = mmap_size(stream),
		.subbuf_size = ltt_stream_subbuf(stream),
		.subbuf_num = buf->sb_mask + 1,
		.stream_id = stream->tchan->stream_id,
		.cpu = stream->cpu,
		.overwrite = buf->overwrite,
	};

	return copy_to_user(arg, &info, sizeof(info)) ? -EFAULT : 0;
}

/*
 * Offset of the current packet in the mapping. If a part of it was taken, the rest may be in
 * a copy that is not mapped. Otherwise, in discard mode, all packets are in place except the
 * last one, which is in the shadow.
 */
static u64 offset_of(const struct ltt_binary_stream *stream)
{
	unsigned long begin = stream->packets.after.pos - ltt_stream_subbuf(stream);

	if (stream->taken)
		return LTT_OFFSET_NONE;
	if (!stream->packets.in_place)
		return ring_size(stream);
	return begin & (ring_size(stream) - 1);
}

/* The next packet, @hold: to be held. */
static long get_packet(struct ltt_binary_stream *stream, void __user *arg, bool nonblock, bool hold)
{
	const struct ltt_packet_reader *packets = &stream->packets;
	const struct ltt_packet *header = &packets->header;
	struct ltt_packet_info info;
	long ret;

	ret = ltt_stream_begin(stream, nonblock);
	/* For a mere peek, another packet will do. */
	if (ret == -ESTALE && !hold)
		ret = ltt_stream_begin(stream, nonblock);
	if (ret)
		return ret;
	if (hold && stream->taken) {
		ret = -EBUSY;
		goto unlock;
	}
	info = (struct ltt_packet_info){
		.offset = offset_of(stream),
		.size = ltt_stream_left(stream),
		.packet_size = packets->size,
		.seq = header->packet_seq_num,
		.timestamp_begin = header->timestamp_begin,
		.timestamp_end = header->timestamp_end,
		.events_discarded = header->events_discarded,
	};
	if (copy_to_user(arg, &info, sizeof(info))) {
		ret = -EFAULT;
		goto unlock;
	}
	stream->held = hold;
	stream->peeked = true;
unlock:
	ltt_stream_unlock(stream, ret);
	return ret;
}

static long put_packet(struct ltt_binary_stream *stream, bool nonblock)
{
	long ret = ltt_stream_lock(stream, nonblock);

	if (ret)
		return ret;
	if (!stream->held) {
		ret = -EINVAL;
		goto unlock;
	}
	ret = ltt_stream_fetch(stream);		/* is it still there? */
	stream->held = false;
	if (!ret)
		ltt_stream_take(stream, stream->packets.size);
unlock:
	ltt_stream_unlock(stream, ret);
	return ret;
}

/**
 * ltt_stream_ioctl() - LTT_IOC_*
 * @file:	the stream
 * @cmd:	LTT_IOC_*
 * @arg:	argument of @cmd
 *
 * Context: task; may sleep.
 * Return: see include/uapi/linux/ltt.h; -ENOTTY, -EFAULT, -ERESTARTSYS.
 */
long ltt_stream_ioctl(struct file *file, unsigned int cmd, unsigned long arg)
{
	struct ltt_binary_stream *stream = file->private_data;
	bool nonblock = file->f_flags & O_NONBLOCK;
	void __user *user = (void __user *)arg;

	switch (cmd) {
	case LTT_IOC_INFO:
		return get_info(stream, user);
	case LTT_IOC_PEEK_PACKET:
		return get_packet(stream, user, nonblock, false);
	case LTT_IOC_GET_PACKET:
		return get_packet(stream, user, nonblock, true);
	case LTT_IOC_PUT_PACKET:
		return put_packet(stream, nonblock);
	case LTT_IOC_WATERMARK:
		return ltt_stream_watermark(stream, user);
	default:
		return -ENOTTY;
	}
}
