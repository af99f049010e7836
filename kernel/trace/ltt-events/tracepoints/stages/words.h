/* SPDX-License-Identifier: GPL-2.0 */
/*
 * LTT: a stage whose function returns what TP_printk() says, as text: format.c looks there
 * which fields the author of the event shows as addresses.
 */
#undef TP_printk
#define TP_printk(fmt, args...)	fmt LTT_BRIDGE_ARGS #args

#define LTT_WORDS_FUNCTION(name, print)					\
static const char *ltt_bridge_print_words_##name(void)			\
{									\
	return __builtin_strstr(print, "%p") ? print : NULL;		\
}

#undef LTT_CLASS
#define LTT_CLASS(call, proto, args, tstruct, assign, print)		\
	LTT_WORDS_FUNCTION(call, print)

#undef LTT_EVENT_PRINT
#define LTT_EVENT_PRINT(template, call, proto, args, print)		\
	LTT_WORDS_FUNCTION(event_##call, print)
