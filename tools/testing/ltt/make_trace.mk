# SPDX-License-Identifier: GPL-2.0
#
# The trace maker, for this machine and for a big-endian one (which runs under
# qemu-s390x). Included by tools/testing/ltt/Makefile.

maker-src := $(addprefix $(here)/,make_trace.c make_trace_event.c make_trace_stream.c) \
	     $(ring) $(tsdl) $(format)
maker-cflags := -std=gnu11 -g -D_GNU_SOURCE -Wall -Wextra -Wno-sign-compare -Werror \
		-I$(here)/maker-shim -I$(here)/singlestep/shim $(includes)
maker-headers := $(here)/make_trace.mk $(wildcard $(here)/*.h $(here)/*shim/*/*.h \
		   $(here)/*shim/*/*/*.h $(here)/singlestep/shim/*/*.h $(core)/*.h \
		   $(top)/include/linux/ltt/*.h $(top)/tools/ltt/*.h)
S390X_CC ?= s390x-linux-gnu-gcc

.PHONY: make_trace
make_trace: $(BUILD)/make_trace $(BUILD)/make_trace_s390x

$(BUILD)/make_trace: $(maker-src) $(maker-headers) | $(BUILD)
	$(CC) $(maker-cflags) -O1 -fsanitize=address,undefined -fno-sanitize-recover=all \
		$(CFLAGS) -o $@ $(maker-src)

# Static: there is no s390x system around it.
$(BUILD)/make_trace_s390x: $(maker-src) $(maker-headers) | $(BUILD)
	$(S390X_CC) $(maker-cflags) -O2 -fno-strict-aliasing -static -o $@ $(maker-src)

tests += test_ctf
$(BUILD)/test_ctf: $(here)/test_ctf.sh $(BUILD)/make_trace $(BUILD)/make_trace_s390x
	printf '#!/bin/sh\nexec %s %s\n' $< $(BUILD) > $@
	chmod +x $@
