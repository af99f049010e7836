/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Not for drivers: how trace_mark() turns its arguments into types, sizes and stores.
 *
 * Only <linux/ltt/marker.h> includes this. Every decision is made when the
 * caller is compiled: an integer costs one store, and only pointers to strings
 * and the like call ltt-core.
 */
#ifndef _LINUX_LTT_MARKER_ARGS_H
#define _LINUX_LTT_MARKER_ARGS_H

#ifndef _LINUX_LTT_MARKER_H
#error "include <linux/ltt/marker.h>"
#endif

/* __LTT_COUNT(a, b, c) is 3; __LTT_MAP(m, a, b) is m(0, a) m(1, b). */
#define __LTT_NTH(_0, _1, _2, _3, _4, _5, _6, _7, _8, _9, _10, _11,	\
		  _12, _13, _14, _15, _16, _n, ...) _n
#define __LTT_COUNT(...)						\
	__LTT_NTH(_, ##__VA_ARGS__, 16, 15, 14, 13, 12, 11, 10, 9, 8,	\
		  7, 6, 5, 4, 3, 2, 1, 0)
#define __LTT_CAT(a, b)		__LTT_CAT_(a, b)
#define __LTT_CAT_(a, b)	a##b
#define __LTT_MAP(_m, ...)						\
	__LTT_CAT(__LTT_MAP, __LTT_COUNT(__VA_ARGS__))(_m, ##__VA_ARGS__)
#define __LTT_MAP0(m, ...)
#define __LTT_MAP1(m, a)	m(0, a)
#define __LTT_MAP2(m, a, b)	__LTT_MAP1(m, a) m(1, b)
#define __LTT_MAP3(m, a, b, c)	__LTT_MAP2(m, a, b) m(2, c)
#define __LTT_MAP4(m, a, b, c, d) __LTT_MAP3(m, a, b, c) m(3, d)
#define __LTT_MAP5(m, a, b, c, d, e) __LTT_MAP4(m, a, b, c, d) m(4, e)
#define __LTT_MAP6(m, a, b, c, d, e, f) __LTT_MAP5(m, a, b, c, d, e) m(5, f)
#define __LTT_MAP7(m, a, b, c, d, e, f, g)				\
	__LTT_MAP6(m, a, b, c, d, e, f) m(6, g)
#define __LTT_MAP8(m, a, b, c, d, e, f, g, h)				\
	__LTT_MAP7(m, a, b, c, d, e, f, g) m(7, h)
#define __LTT_MAP9(m, a, b, c, d, e, f, g, h, i)			\
	__LTT_MAP8(m, a, b, c, d, e, f, g, h) m(8, i)
#define __LTT_MAP10(m, a, b, c, d, e, f, g, h, i, j)			\
	__LTT_MAP9(m, a, b, c, d, e, f, g, h, i) m(9, j)
#define __LTT_MAP11(m, a, b, c, d, e, f, g, h, i, j, k)			\
	__LTT_MAP10(m, a, b, c, d, e, f, g, h, i, j) m(10, k)
#define __LTT_MAP12(m, a, b, c, d, e, f, g, h, i, j, k, l)		\
	__LTT_MAP11(m, a, b, c, d, e, f, g, h, i, j, k) m(11, l)
#define __LTT_MAP13(m, a, b, c, d, e, f, g, h, i, j, k, l, n)		\
	__LTT_MAP12(m, a, b, c, d, e, f, g, h, i, j, k, l) m(12, n)
#define __LTT_MAP14(m, a, b, c, d, e, f, g, h, i, j, k, l, n, o)	\
	__LTT_MAP13(m, a, b, c, d, e, f, g, h, i, j, k, l, n) m(13, o)
#define __LTT_MAP15(m, a, b, c, d, e, f, g, h, i, j, k, l, n, o, p)	\
	__LTT_MAP14(m, a, b, c, d, e, f, g, h, i, j, k, l, n, o) m(14, p)
#define __LTT_MAP16(m, a, b, c, d, e, f, g, h, i, j, k, l, n, o, p, q)	\
	__LTT_MAP15(m, a, b, c, d, e, f, g, h, i, j, k, l, n, o, p) m(15, q)

/*
 * The type in which an argument is recorded: its own; arrays decay; bit-fields,
 * which match no type, are promoted.
 */
#define __LTT_VALUE(a)							\
	_Generic((a),							\
		bool: (bool)0,						\
		char: (char)0,						\
		signed char: (signed char)0,				\
		unsigned char: (unsigned char)0,			\
		short: (short)0,					\
		unsigned short: (unsigned short)0,			\
		default: (1 ? (a) : (a)))

#define __LTT_INT(_type)						\
	LTT_TYPE(LTT_KIND_INT, sizeof(_type),				\
		 (_type)-1 < (_type)1 ? LTT_TYPE_SIGNED : 0)
#define __LTT_INT_CASE(_type)	_type: __LTT_INT(_type)
#define __LTT_SEQ_CASE(_name, _type)					\
	ltt_seq_##_name##_t: LTT_TYPE(LTT_KIND_SEQ, sizeof(_type),	\
				      (_type)-1 < (_type)1 ? LTT_TYPE_SIGNED : 0)

/* Type code of an argument, a constant. */
#define __LTT_TYPE(_i, a)						\
	_Generic(__LTT_VALUE(a),					\
		bool: LTT_TYPE(LTT_KIND_INT, 1, 0),			\
		__LTT_INT_CASE(char),					\
		__LTT_INT_CASE(signed char),				\
		__LTT_INT_CASE(unsigned char),				\
		__LTT_INT_CASE(short),					\
		__LTT_INT_CASE(unsigned short),				\
		__LTT_INT_CASE(int),					\
		__LTT_INT_CASE(unsigned int),				\
		__LTT_INT_CASE(long),					\
		__LTT_INT_CASE(unsigned long),				\
		__LTT_INT_CASE(long long),				\
		__LTT_INT_CASE(unsigned long long),			\
		ltt_be16_t: LTT_TYPE(LTT_KIND_INT, 2, LTT_TYPE_BE),	\
		ltt_be32_t: LTT_TYPE(LTT_KIND_INT, 4, LTT_TYPE_BE),	\
		ltt_be64_t: LTT_TYPE(LTT_KIND_INT, 8, LTT_TYPE_BE),	\
		__LTT_SEQ_CASE(s8, signed char),			\
		__LTT_SEQ_CASE(u8, unsigned char),			\
		__LTT_SEQ_CASE(s16, short),				\
		__LTT_SEQ_CASE(u16, unsigned short),			\
		__LTT_SEQ_CASE(s32, int),				\
		__LTT_SEQ_CASE(u32, unsigned int),			\
		__LTT_SEQ_CASE(long, long),				\
		__LTT_SEQ_CASE(ulong, unsigned long),			\
		__LTT_SEQ_CASE(s64, long long),				\
		__LTT_SEQ_CASE(u64, unsigned long long),		\
		__LTT_PTR_CASE(char, LTT_TYPE(LTT_KIND_CPTR, sizeof(void *), 0)), \
		__LTT_PTR_CASE(signed char, LTT_TYPE(LTT_KIND_CPTR, sizeof(void *), 0)), \
		__LTT_PTR_CASE(unsigned char, LTT_TYPE(LTT_KIND_CPTR, sizeof(void *), 0)), \
		default: LTT_TYPE(LTT_KIND_PTR, sizeof(void *), 0)),

/*
 * For each kind of argument: size() returns the bytes it takes in the event, put()
 * stores them and returns the position after them, give() is what a gate gets. @prev is the
 * integer argument before, for blobs.
 */
static __always_inline size_t
__ltt_size_int(const struct ltt_marker *marker, unsigned int arg, u64 value,
	       size_t size, u64 *prev)
{
	*prev = value;
	return size;
}

static __always_inline u8 *
__ltt_put_int(const struct ltt_marker *marker, unsigned int arg, u8 *p,
	      u64 value, size_t size)
{
	switch (size) {
	case 1:
		*p = value;
		break;
	case 2:
		__builtin_memcpy(p, &(u16){ value }, 2);
		break;
	case 4:
		__builtin_memcpy(p, &(u32){ value }, 4);
		break;
	default:
		__builtin_memcpy(p, &value, 8);
		break;
	}
	return p + size;
}

static __always_inline u64
__ltt_give_int(const struct ltt_marker *marker, unsigned int arg, u64 value)
{
	return value;
}

#define __LTT_BE(_bits)							\
static __always_inline size_t						\
__ltt_size_be##_bits(const struct ltt_marker *marker, unsigned int arg,	\
		     ltt_be##_bits##_t value, size_t size, u64 *prev)	\
{									\
	*prev = be##_bits##_to_cpu(value.v);				\
	return size;							\
}									\
									\
static __always_inline u8 *						\
__ltt_put_be##_bits(const struct ltt_marker *marker, unsigned int arg,	\
		    u8 *p, ltt_be##_bits##_t value, size_t size)	\
{									\
	return __ltt_put_int(marker, arg, p, (__force u64)value.v, size); \
}									\
									\
static __always_inline u64						\
__ltt_give_be##_bits(const struct ltt_marker *marker, unsigned int arg,	\
		     ltt_be##_bits##_t value)				\
{									\
	return (__force u64)value.v;					\
}

__LTT_BE(16)
__LTT_BE(32)
__LTT_BE(64)

static __always_inline size_t
__ltt_size_cptr(const struct ltt_marker *marker, unsigned int arg,
		const void *ptr, size_t size, u64 *prev)
{
	return marker->ops->size(marker, arg, ptr, *prev);
}

static __always_inline u8 *
__ltt_put_cptr(const struct ltt_marker *marker, unsigned int arg, u8 *p,
	       const void *ptr, size_t size)
{
	marker->ops->put(marker, arg, p, ptr, size);
	return p + size;
}

static __always_inline u64
__ltt_give_cptr(const struct ltt_marker *marker, unsigned int arg, const void *ptr)
{
	return (unsigned long)ptr;
}

static __always_inline size_t
__ltt_size_ptr(const struct ltt_marker *marker, unsigned int arg,
	       const volatile void *ptr, size_t size, u64 *prev)
{
	if (likely(marker->capture[arg].mode == LTT_CAPTURE_VALUE))
		return sizeof(ptr);
	return marker->ops->size(marker, arg, (const void *)ptr, *prev);
}

static __always_inline u8 *
__ltt_put_ptr(const struct ltt_marker *marker, unsigned int arg, u8 *p,
	      const volatile void *ptr, size_t size)
{
	if (likely(marker->capture[arg].mode == LTT_CAPTURE_VALUE))
		__builtin_memcpy(p, &ptr, sizeof(ptr));
	else
		marker->ops->put(marker, arg, p, (const void *)ptr, size);
	return p + size;
}

static __always_inline u64
__ltt_give_ptr(const struct ltt_marker *marker, unsigned int arg, const volatile void *ptr)
{
	return (unsigned long)ptr;
}

/* ops->size() and put() know the elements' size from the marker's types. */
#define __LTT_SEQ_OPS(_name)						\
static __always_inline size_t						\
__ltt_size_seq_##_name(const struct ltt_marker *marker, unsigned int arg, \
		       ltt_seq_##_name##_t seq, size_t size, u64 *prev)	\
{									\
	return marker->ops->size(marker, arg, seq.ptr, seq.n);		\
}									\
									\
static __always_inline u8 *						\
__ltt_put_seq_##_name(const struct ltt_marker *marker, unsigned int arg, \
		      u8 *p, ltt_seq_##_name##_t seq, size_t size)	\
{									\
	if (marker->capture[arg].mode == LTT_CAPTURE_ARRAY &&		\
	    seq.n < marker->capture[arg].n) {				\
		__builtin_memset(p, 0, size);				\
		marker->ops->put(marker, arg, p, seq.ptr,		\
				 seq.n * sizeof(*seq.ptr));		\
	} else {							\
		marker->ops->put(marker, arg, p, seq.ptr, size);	\
	}								\
	return p + size;						\
}									\
									\
static __always_inline u64						\
__ltt_give_seq_##_name(const struct ltt_marker *marker, unsigned int arg, \
		       ltt_seq_##_name##_t seq)				\
{									\
	return seq.n < marker->capture[arg].n ? 0 : (unsigned long)seq.ptr; \
}

__LTT_SEQ_OPS(s8)
__LTT_SEQ_OPS(u8)
__LTT_SEQ_OPS(s16)
__LTT_SEQ_OPS(u16)
__LTT_SEQ_OPS(s32)
__LTT_SEQ_OPS(u32)
__LTT_SEQ_OPS(long)
__LTT_SEQ_OPS(ulong)
__LTT_SEQ_OPS(s64)
__LTT_SEQ_OPS(u64)

/* The function for an argument of this type, _op is size, put or give. */
#define __LTT_OP(_op, a)						\
	_Generic((a),							\
		bool: __ltt_##_op##_int,				\
		char: __ltt_##_op##_int,				\
		signed char: __ltt_##_op##_int,				\
		unsigned char: __ltt_##_op##_int,			\
		short: __ltt_##_op##_int,				\
		unsigned short: __ltt_##_op##_int,			\
		int: __ltt_##_op##_int,					\
		unsigned int: __ltt_##_op##_int,			\
		long: __ltt_##_op##_int,				\
		unsigned long: __ltt_##_op##_int,			\
		long long: __ltt_##_op##_int,				\
		unsigned long long: __ltt_##_op##_int,			\
		ltt_be16_t: __ltt_##_op##_be16,				\
		ltt_be32_t: __ltt_##_op##_be32,				\
		ltt_be64_t: __ltt_##_op##_be64,				\
		ltt_seq_s8_t: __ltt_##_op##_seq_s8,			\
		ltt_seq_u8_t: __ltt_##_op##_seq_u8,			\
		ltt_seq_s16_t: __ltt_##_op##_seq_s16,			\
		ltt_seq_u16_t: __ltt_##_op##_seq_u16,			\
		ltt_seq_s32_t: __ltt_##_op##_seq_s32,			\
		ltt_seq_u32_t: __ltt_##_op##_seq_u32,			\
		ltt_seq_long_t: __ltt_##_op##_seq_long,			\
		ltt_seq_ulong_t: __ltt_##_op##_seq_ulong,		\
		ltt_seq_s64_t: __ltt_##_op##_seq_s64,			\
		ltt_seq_u64_t: __ltt_##_op##_seq_u64,			\
		__LTT_PTR_CASE(char, __ltt_##_op##_cptr),		\
		__LTT_PTR_CASE(signed char, __ltt_##_op##_cptr),	\
		__LTT_PTR_CASE(unsigned char, __ltt_##_op##_cptr),	\
		default: __ltt_##_op##_ptr)

/* Each argument is evaluated once, and before preemption is disabled. */
#define __LTT_BIND(_i, a)						\
	typeof(__LTT_VALUE(a)) __ltt_arg##_i = (a);			\
	size_t __ltt_size##_i;
#define __LTT_SIZE(_i, a)						\
	__ltt_size##_i = __LTT_OP(size, __ltt_arg##_i)			\
		(__ltt_m, _i, __ltt_arg##_i, sizeof(__ltt_arg##_i), &__ltt_prev); \
	__ltt_len += __ltt_size##_i;
#define __LTT_PUT(_i, a)						\
	__ltt_p = __LTT_OP(put, __ltt_arg##_i)				\
		(__ltt_m, _i, __ltt_p, __ltt_arg##_i, __ltt_size##_i);

#define __LTT_GIVE(_i, a)						\
	, __LTT_OP(give, __ltt_arg##_i)(__ltt_m, _i, __ltt_arg##_i)

/* The gate may record the event: see struct ltt_gate. */
#define __LTT_ASKS_FIRST(...)						\
	(__LTT_COUNT(__VA_ARGS__) == 1 && LTT_TYPE_KIND(__ltt_types[0]) == LTT_KIND_CPTR)

#define __LTT_RECORD(_marker, ...)					\
do {									\
	struct ltt_marker *__ltt_m = (_marker);				\
	size_t __ltt_len = LTT_HEADER_COMPACT;				\
	u64 __ltt_prev __maybe_unused = 0;				\
	const struct ltt_gate *__ltt_gate;				\
	const struct ltt_tap *__ltt_tap;				\
	__LTT_MAP(__LTT_BIND, ##__VA_ARGS__)				\
									\
	preempt_disable_notrace();					\
	__ltt_tap = __LTT_ASKS_FIRST(__VA_ARGS__) ? NULL :		\
		    rcu_dereference_raw(__ltt_m->taps);			\
	if (unlikely(!__ltt_tap)) {					\
		__ltt_gate = rcu_dereference_raw(__ltt_m->gate);	\
		if (__ltt_gate)						\
			__ltt_tap = __ltt_gate->ask.__LTT_CAT(ask, __LTT_COUNT(__VA_ARGS__)) \
				(__ltt_gate __LTT_MAP(__LTT_GIVE, ##__VA_ARGS__)); \
	}								\
	if (likely(__ltt_tap)) {					\
		__LTT_MAP(__LTT_SIZE, ##__VA_ARGS__)			\
		do {							\
			struct ltt_slot __ltt_slot =			\
				__ltt_tap->reserve(__ltt_tap, __ltt_len); \
			u8 *__ltt_p = __ltt_slot.p;			\
									\
			if (likely(__ltt_p)) {				\
				__LTT_MAP(__LTT_PUT, ##__VA_ARGS__)	\
				ltt_commit(__ltt_tap, __ltt_slot);	\
			}						\
		} while (unlikely((++__ltt_tap)->reserve));		\
	}								\
	preempt_enable_notrace();					\
} while (0)

/* Never called: lets the compiler compare format and arguments. */
static __always_inline __printf(1, 2)
void __ltt_check_format(const char *format, ...)
{
}

/* The argument as printf() would get it. */
#define __LTT_PRINTF_ARG(_i, a)						\
	, _Generic((a),							\
		ltt_be16_t: (unsigned short)0,				\
		ltt_be32_t: 0u,						\
		ltt_be64_t: 0ull,					\
		ltt_seq_s8_t: (signed char)0,				\
		ltt_seq_u8_t: (unsigned char)0,				\
		ltt_seq_s16_t: (short)0,				\
		ltt_seq_u16_t: (unsigned short)0,			\
		ltt_seq_s32_t: 0,					\
		ltt_seq_u32_t: 0u,					\
		ltt_seq_long_t: 0l,					\
		ltt_seq_ulong_t: 0ul,					\
		ltt_seq_s64_t: 0ll,					\
		ltt_seq_u64_t: 0ull,					\
		default: (a))

#define __LTT_CHECK_FORMAT(_format, ...)				\
do {									\
	_Pragma("GCC diagnostic push")					\
	_Pragma("GCC diagnostic error \"-Wformat\"")			\
	if (0)								\
		__ltt_check_format(_format				\
			__LTT_MAP(__LTT_PRINTF_ARG, ##__VA_ARGS__));	\
	_Pragma("GCC diagnostic pop")					\
} while (0)

#endif /* _LINUX_LTT_MARKER_ARGS_H */
