/* SPDX-License-Identifier: GPL-2.0 */
/*
 * LTT: fields that are others by another name. Each stage defines __field(),
 * __array(), __dynamic_array() and LTT_STRING(). A stage behind one that has its own
 * meaning of the names below reads this again.
 */
#undef __field_ext
#define __field_ext(type, item, filter_type)	__field(type, item)
#undef __field_struct
#define __field_struct(type, item)		__field(type, item)
#undef __field_struct_ext
#define __field_struct_ext(type, item, filter_type) __field(type, item)
#undef __string
#define __string(item, src)			LTT_STRING(item, src)
#undef __string_len
#define __string_len(item, src, len)		LTT_STRING(item, src)
#undef __vstring
#define __vstring(item, fmt, ap)		LTT_STRING(item, fmt)
#undef __bitmask
#define __bitmask(item, nr_bits)		__dynamic_array(unsigned long, item, -1)
#undef __cpumask
#define __cpumask(item)				__dynamic_array(unsigned long, item, -1)
#undef __sockaddr
#define __sockaddr(item, len)			__dynamic_array(u8, item, len)
