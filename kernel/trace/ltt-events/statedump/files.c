// SPDX-License-Identifier: GPL-2.0
/*
 * LTT: the state dump's open files.
 *
 * The table of a process is not held while it is walked: each step looks for the next
 * descriptor, and holds a reference to the file only until its path is known. A file that
 * is closed meanwhile is released a little later.
 */

#include <linux/dcache.h>
#include <linux/err.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/limits.h>
#include <linux/sched.h>
#include <linux/stat.h>
#include <linux/ltt/compat.h>

#include "statedump.h"

/* The bits of a mode below the file type. */
#define TYPE_SHIFT	12

/**
 * ltt_state_files() - tell of the open files of a thread, and of who shares them
 * @dump:	the dump
 * @task:	the thread; the caller has a reference
 *
 * Paths are those that a kernel thread sees.
 *
 * Context: task, sleeps.
 */
void ltt_state_files(struct state_dump *dump, struct task_struct *task)
{
	unsigned int fd, flags, type;
	struct file *file;
	const char *path;

	for (fd = 0; !ltt_state_cancelled(dump); fd++) {
		file = ltt_task_next_file(task, &fd);
		if (!file)
			return;
		flags = READ_ONCE(file->f_flags);
		type = (file_inode(file)->i_mode & S_IFMT) >> TYPE_SHIFT;
		path = d_path(&file->f_path, dump->text, PATH_MAX);
		fput(file);
		if (IS_ERR(path))
			path = "(too long)";
		state_mark(dump, STATE_FILE, file_descriptor,
			   "tid %d fd %u flags %#o type %u{0=anon,1=fifo,2=char,4=dir,6=block,8=regular,10=link,12=socket} path %s",
			   task->pid, fd, flags, type, path);
	}
}
