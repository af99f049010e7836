/* SPDX-License-Identifier: GPL-2.0 */
/*
 * For test_damage.c: the system calls of libltt, which the linker has wrapped
 * (libltt.mk, --wrap).
 */
#ifndef _LTT_OVERTAKE_H
#define _LTT_OVERTAKE_H

#include <sys/stat.h>
#include <sys/types.h>

int __real_open(const char *name, int flags, ...);
int __wrap_open(const char *name, int flags, ...);
int __real_fstat(int fd, struct stat *st);
int __wrap_fstat(int fd, struct stat *st);
ssize_t __real_pread(int fd, void *buf, size_t size, off_t offset);
ssize_t __wrap_pread(int fd, void *buf, size_t size, off_t offset);

#endif /* _LTT_OVERTAKE_H */
