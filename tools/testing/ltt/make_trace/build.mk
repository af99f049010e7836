# SPDX-License-Identifier: GPL-2.0
#
# The trace maker, for this machine and for a big-endian one (which runs under
# qemu-s390x). Included by tools/testing/ltt/Makefile.

maker := $(here)/make_trace
maker-src := $(wildcard $(maker)/*.c) $(ring) $(tsdl) $(format)
maker-cflags := -std=gnu11 -g -D_GNU_SOURCE -Wall -Wextra -Wno-sign-compare -Werror \
		-I$(maker)/shim -I$(here)/singlestep/shim $(includes)
maker-headers := $(maker)/build.mk $(shared-headers) $(wildcard $(maker)/*.h $(unit)/*.h \
		   $(maker)/shim/*/*.h $(maker)/shim/*/*/*.h $(here)/singlestep/shim/*/*.h \
		   $(top)/tools/ltt/*/*.h)
S390X_CC ?= s390x-linux-gnu-gcc

.PHONY: make_trace
make_trace: $(BUILD)/make_trace $(BUILD)/make_trace_s390x

$(BUILD)/make_trace: $(maker-src) $(maker-headers) | $(BUILD)
	$(CC) $(maker-cflags) -O1 -fsanitize=address,undefined -fno-sanitize-recover=all \
		$(CFLAGS) -o $@ $(maker-src)

# Static: there is no s390x system around it.
$(BUILD)/make_trace_s390x: $(maker-src) $(maker-headers) | $(BUILD)
	$(here)/cached-cc $(S390X_CC) $(maker-cflags) -O2 -fno-strict-aliasing -static -o $@ $(maker-src)

tests += test_ctf
$(BUILD)/test_ctf: $(unit)/test_ctf.sh $(BUILD)/make_trace $(BUILD)/make_trace_s390x
	printf '#!/bin/sh\nexec %s %s\n' $< $(BUILD) > $@
	chmod +x $@
