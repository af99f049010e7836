# SPDX-License-Identifier: GPL-2.0
#
# Models of the lockless protocols, and litmus tests of their barriers; included by
# tools/testing/ltt/Makefile.

models := $(here)/models
litmus := $(sort $(wildcard $(models)/litmus/*.litmus))

tests += test_models test_litmus
test_models-inputs := $(models)/spin.py $(models)/build.mk $(sort $(wildcard $(models)/*.pml))

$(BUILD)/test_models: $(models)/spin.py | $(BUILD)
	printf '#!/bin/sh\nexec %s %s "$$@"\n' $< $(BUILD) > $@
	chmod +x $@

$(BUILD)/test_litmus: $(models)/test_litmus.sh $(BUILD)/litmus_tsan $(BUILD)/litmus_threads
	printf '#!/bin/sh\nexec %s %s\n' $< $(BUILD) > $@
	chmod +x $@

$(BUILD)/litmus.c: $(models)/litmus_c.py $(models)/litmus.py $(litmus) | $(BUILD)
	$< $(litmus) > $@.new
	mv $@.new $@

$(BUILD)/litmus_tsan: CFLAGS_LITMUS := -O1 -fsanitize=thread
$(BUILD)/litmus_threads: CFLAGS_LITMUS := -O2 -pthread
$(BUILD)/litmus_tsan $(BUILD)/litmus_threads: $(models)/run_litmus.c $(BUILD)/litmus.c \
		$(models)/run_litmus.h $(models)/build.mk
	$(CC) $(CFLAGS_COMMON) $(CFLAGS_LITMUS) -I$(models) $(CFLAGS) -o $@ $(filter %.c,$^)

# Hours; and the model itself: what herd7 says of the kernel's own litmus tests.
.PHONY: check-models-full check-lkmm
check-models-full: $(models)/spin.py | $(BUILD)
	$< --full $(BUILD)

LINUX_SOURCE ?= $(lastword $(sort $(wildcard /usr/src/linux-source-*.tar.xz)))
check-lkmm: $(models)/lkmm.py | $(BUILD)
	rm -rf $(BUILD)/memory-model
	mkdir $(BUILD)/memory-model
	tar -C $(BUILD)/memory-model --strip-components=3 --wildcards -xf $(LINUX_SOURCE) \
		'*/tools/memory-model/litmus-tests/*.litmus'
	$< $(BUILD)/memory-model/litmus-tests/*.litmus
