/* SPDX-License-Identifier: GPL-2.0 */
/*
 * LTT: stage 7, the table of the fields, in a function: there the type of the record
 * has a name that does not depend on the class.
 */
#define LTT_FIELD(_item, _member, _type, _element, _kind, _is_signed, _int_signed) \
	{								\
		.name = #_item,						\
		.type = _type,						\
		.offset = offsetof(__ltt_record, _member),		\
		.size = sizeof(((__ltt_record *)0)->_member),		\
		.element = _element,					\
		.kind = _kind,						\
		.is_signed = _is_signed,				\
		.int_signed = _int_signed,				\
	},

/* As in the kernel's table, macros in a type are expanded unless it is __field_ext(). */
#undef __field
#define __field(_type, _item)	__field_ext(_type, _item, ~)
#undef __field_ext
#define __field_ext(_type, _item, _filter_type)				\
	LTT_FIELD(_item, _item, #_type,					\
		  LTT_BRIDGE_FIELD_KIND(_type) == LTT_BRIDGE_BYTES ? 1 : sizeof(_type), \
		  LTT_BRIDGE_FIELD_KIND(_type), is_signed_type(_type),	\
		  is_signed_type(_type))
/* No arithmetic on structures. */
#undef __field_struct
#define __field_struct(_type, _item)	__field_struct_ext(_type, _item, ~)
#undef __field_struct_ext
#define __field_struct_ext(_type, _item, _filter_type)			\
	LTT_FIELD(_item, _item, #_type,					\
		  LTT_BRIDGE_FIELD_KIND(_type) == LTT_BRIDGE_BYTES ? 1 : sizeof(_type), \
		  LTT_BRIDGE_FIELD_KIND(_type), false, false)
#undef __array
#define __array(_type, _item, _len)					\
	LTT_FIELD(_item, _item, #_type "[]", sizeof(_type),		\
		  LTT_BRIDGE_IS_STR(_type, _item, _len) ? LTT_BRIDGE_STR : \
		  LTT_BRIDGE_IS_TEXT(_type, _item) ? LTT_BRIDGE_CHARS :	\
						     LTT_BRIDGE_ARRAY,	\
		  is_signed_type(_type), is_signed_type(_type))
#undef __dynamic_array
#define __dynamic_array(_type, _item, _len)				\
	LTT_FIELD(_item, __data_loc_##_item, "__data_loc " #_type "[]",	\
		  LTT_BRIDGE_ELEMENT(_type),				\
		  __builtin_types_compatible_p(typeof(_type), char) ?	\
			LTT_BRIDGE_DYN_CHARS : LTT_BRIDGE_DYN_ARRAY,	\
		  is_signed_type(_type), is_signed_type(_type))
#undef __cpumask
#define __cpumask(_item)						\
	LTT_FIELD(_item, __data_loc_##_item, "__data_loc cpumask_t",	\
		  sizeof(unsigned long), LTT_BRIDGE_DYN_ARRAY, false, false)
#undef LTT_STRING
#define LTT_STRING(_item, _src)						\
	LTT_FIELD(_item, __data_loc_##_item, "__data_loc char[]", 1,	\
		  LTT_BRIDGE_DYN_STR, is_signed_type(char), is_signed_type(char))

#undef LTT_CLASS
#define LTT_CLASS(call, proto, args, tstruct, assign, print)		\
static const struct ltt_bridge_field *ltt_bridge_fields_##call(unsigned int *__ltt_nr) \
{									\
	typedef struct trace_event_raw_##call __ltt_record;		\
	static const struct ltt_bridge_field __ltt_fields[] = {		\
		tstruct							\
	};								\
									\
	*__ltt_nr = ARRAY_SIZE(__ltt_fields);				\
	return __ltt_fields;						\
}
