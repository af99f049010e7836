# SPDX-License-Identifier: GPL-2.0
#
# The sources that the kernel shares with user space, each in one list; included by
# the makefiles of tools/testing/ltt and tools/ltt. $(top) is the top of the tree.

core := $(top)/kernel/trace/ltt-core
textout := $(top)/kernel/trace/textout

# The ring buffer, without what reads whole packets of it.
ring := $(addprefix $(core)/,ring_buffer.c cursor.c cursor_tail.c)
# Parsing of formats.
format := $(addprefix $(core)/,format.c format_conv.c format_text.c format_error.c escape.c)
# The text of the metadata.
tsdl := $(addprefix $(core)/,metadata.c metadata_event.c)
merge := $(textout)/merge.c
# Text of events, and its styles; render_user.c is for user space what render_kernel.c is for the kernel.
render := $(addprefix $(textout)/,render.c render_field.c render_int.c render_net.c \
		render_user.c) $(sort $(wildcard $(textout)/style*.c))
