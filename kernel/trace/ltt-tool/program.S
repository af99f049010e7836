/* SPDX-License-Identifier: GPL-2.0 */
/*
 * LTT: the program that the module carries; see main.c, and Makefile about where it comes from.
 */
	.section .rodata, "a"
	.balign 8
	.globl ltt_tool_begin
ltt_tool_begin:
	.incbin "ltt"
	.globl ltt_tool_end
ltt_tool_end:
	.section .note.GNU-stack, "", %progbits
