// SPDX-License-Identifier: GPL-2.0
/*
 * LTT: the kernel's system calls, as its headers have them.
 */
#include <linux/kernel.h>

#include "headers.h"
#include "syscalls.h"

/*
 * Sign and size of an integer type, which may be any that is in a prototype. Sparse does
 * not let types that must not be mixed be compared with numbers; what it thinks of
 * the value does not matter.
 */
#ifdef __CHECKER__
#define IS_SIGNED(_type)	0
#else
#define IS_SIGNED(_type)	is_signed_type(_type)
#endif
#define INT_TYPE(_type)							\
	LTT_TYPE(LTT_KIND_INT, sizeof(_type), IS_SIGNED(_type) ? LTT_TYPE_SIGNED : 0)

#define PARAM_INT(_type, _name)						\
	{ .name = _name, .kind = LTT_SYS_SCALAR, .type = INT_TYPE(_type) }
#define PARAM_PTR(_name)						\
	{ .type = INT_TYPE(unsigned long), .kind = LTT_SYS_POINTER, .name = _name }
#define PARAM_STR(_name)						\
	{ .type = INT_TYPE(unsigned long), .kind = LTT_SYS_CHARS, .name = _name }

#define SYM(_name, _value)	{ .name = _name, .value = (__force s64)(_value) }

#include "table.inc"
