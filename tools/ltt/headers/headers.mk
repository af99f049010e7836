# SPDX-License-Identifier: GPL-2.0
#
# What modules of others are compiled with, included by tools/ltt/Makefile:
#
#	make headers_install, headers_uninstall	DESTDIR, PREFIX
#
# in PREFIX/include/ltt-kernel: <linux/ltt/...>; ltt_marker.h, which is all that trace_mark()
# takes, in a single file; and ltt.kbuild, for modules that use more.

headers-dir := $(here)/headers
version := $(shell sed -n 's/^\#define LTT_VERSION[^"]*"\(.*\)"/\1/p' \
	     $(top)/include/linux/ltt/version.h)

# For modules; what these include is installed, too.
public := $(addprefix linux/ltt/,marker.h channel.h client.h context.h control.h decode.h dump.h \
	    event_printer.h filter.h reader.h trace.h version.h)
flatten := awk -f $(headers-dir)/flatten.awk
# Names of all of them.
all-public = $(flatten) -v list=1 $(top)/include $(public)
kernel-include = $(DESTDIR)$(PREFIX)/include/ltt-kernel
fill-in = sed -e 's,@PREFIX@,$(PREFIX),' -e 's,@VERSION@,$(version),'

$(OUTPUT)/ltt_marker.h: $(wildcard $(top)/include/linux/ltt/*.h) $(wildcard $(headers-dir)/*)
	@mkdir -p $(@D)
	{ $(fill-in) $(headers-dir)/prologue.in && \
	  $(flatten) $(top)/include linux/ltt/marker.h; } > $@.tmp
	mv $@.tmp $@

.PHONY: headers_install headers_uninstall
headers_install: $(OUTPUT)/ltt_marker.h
	$(INSTALL) -d -m 755 $(kernel-include)/linux/ltt $(DESTDIR)$(PREFIX)/share/pkgconfig
	set -e; headers=$$($(all-public)); cd $(top)/include; \
		$(INSTALL) -m 644 $$headers $(kernel-include)/linux/ltt
	$(INSTALL) -m 644 $(OUTPUT)/ltt_marker.h $(kernel-include)
	$(fill-in) $(headers-dir)/ltt.kbuild.in > $(kernel-include)/ltt.kbuild
	$(fill-in) $(headers-dir)/ltt-kernel.pc.in > $(DESTDIR)$(PREFIX)/share/pkgconfig/ltt-kernel.pc

headers_uninstall:
	set -e; headers=$$($(all-public)); cd $(kernel-include) 2> /dev/null || exit 0; \
		rm -f $$headers ltt_marker.h ltt.kbuild
	rm -f $(DESTDIR)$(PREFIX)/share/pkgconfig/ltt-kernel.pc
	$(call prune,$(addprefix $(kernel-include),/linux/ltt /linux) $(kernel-include))
