# SPDX-License-Identifier: GPL-2.0
#
# The sources that the kernel shares with user space, each in one list, and how they are
# built there; included by the makefiles of tools/ltt and tools/testing/ltt. $(top) is the
# top of the tree.

core := $(top)/kernel/trace/ltt-core
textout := $(top)/kernel/trace/textout

# The ring buffer, without what reads whole packets of it.
ring := $(addprefix $(core)/relay/,ring_buffer.c cursor.c cursor_tail.c keep.c)
# Parsing of formats.
format := $(addprefix $(core)/format/,parse.c parse_conv.c parse_text.c parse_error.c escape.c)
# Expressions over the fields of events.
expr := $(addprefix $(core)/expr/,parse.c compile.c eval.c)
# The text of the metadata.
tsdl := $(addprefix $(core)/format/,tsdl.c tsdl_event.c)
# Traces in memory that survives a reset: reading; the user writes them with log.c.
area := $(addprefix $(core)/area/,scan.c scan_declared.c scan_packet.c info.c)
area-log := $(core)/area/log.c
merge := $(textout)/lib/merge.c
# Text of events, and its styles; render_user.c is for user space what render_kernel.c is
# for the kernel.
render := $(addprefix $(textout)/lib/,render.c render_field.c render_int.c render_net.c \
		render_user.c) $(sort $(wildcard $(textout)/lib/style*.c))

# Headers that stand in for the kernel's come first.
shared-includes := -I$(top)/tools/ltt/include -I$(top)/include
shared-headers := $(wildcard $(top)/include/linux/ltt/*.h $(core)/*.h $(core)/*/*.h \
		    $(textout)/lib/*.h $(top)/tools/ltt/include/*/*.h)
