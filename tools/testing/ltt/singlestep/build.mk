# SPDX-License-Identifier: GPL-2.0
#
# The ring buffer's tests, included by tools/testing/ltt/Makefile.
#
# The code under test is compiled as in a kernel: no floating point, no red zone;
# and all of a function in one place.

step := $(here)/singlestep
step-relay := $(if $(MUTANT),$(MUTANT),$(core)/relay)
step-ring := $(patsubst $(core)/relay/%,$(step-relay)/%,$(ring))
step-include := -I$(step)/shim -I$(top)/tools/ltt/include $(if $(MUTANT),-I$(MUTANT)/include) \
		-I$(top)/include
step-pass := $(if $(MUTANT),$(MUTANT),$(core)/reader)
step-headers := $(wildcard $(step)/*.h $(step)/shim/*/*.h $(step)/shim/linux/ltt/*.h \
		  $(top)/include/linux/ltt/*.h) $(step)/build.mk

STEP_CFLAGS := -std=gnu11 -g -O2 -Wall -Wextra -Wno-sign-compare -Werror \
	       -fno-strict-aliasing -fno-pic $(step-include) -iquote $(step-relay) $(if $(MUTANT),-w)
STEPPED_CFLAGS := $(STEP_CFLAGS) -DSS_STEPPED -mgeneral-regs-only -mno-red-zone \
		  -fno-stack-protector -fcf-protection=none \
		  -fno-reorder-blocks-and-partition -fno-tree-loop-distribute-patterns

stepped-objs := $(addprefix $(BUILD)/step/,ring_buffer.o cursor.o cursor_tail.o keep.o \
		packet_reader.o ops.o stuck.o)
stepper-objs := $(addprefix $(BUILD)/step/,fiber.o runner.o one_run.o checker.o main.o)

# make check-all also checks that the tests notice mistakes.
tests += test_ring_buffer test_ring_stop test_ring_random test_packets test_bridge test_scratch test_arg_copy \
	 $(if $(filter x86_64,$(shell uname -m)),test_singlestep \
	   test_singlestep_packets test_singlestep_rest test_singlestep_stuck \
	   test_singlestep_keep test_mutants)
tests-long += test_mutants

$(BUILD)/step:
	mkdir -p $@

$(addprefix $(BUILD)/step/,ring_buffer.o cursor.o cursor_tail.o keep.o packet_reader.o): $(BUILD)/step/%.o: \
		$(step-relay)/%.c $(step-relay)/buf_warn.h $(step-relay)/cursor_tail.h \
		$(step-relay)/keep.h \
		$(step-headers) | $(BUILD)/step
	$(CC) $(STEPPED_CFLAGS) -c -o $@ $<

$(BUILD)/step/ops.o: $(step)/ops.c $(step-headers) | $(BUILD)/step
	$(CC) $(STEPPED_CFLAGS) -c -o $@ $<

$(BUILD)/step/stuck.o: $(step)/stuck.c $(step-pass)/reader_pass.c $(core)/reader/reader_pass.h \
		$(wildcard $(step)/shim/pass/*/*.h $(step)/shim/pass/linux/ltt/*.h) $(step-headers) | $(BUILD)/step
	$(CC) -I$(step)/shim/pass $(STEPPED_CFLAGS) -iquote $(step-pass) -iquote $(core)/reader \
		-c -o $@ $<

$(stepper-objs): $(BUILD)/step/%.o: $(step)/%.c $(step-relay)/keep.h $(step-headers) | $(BUILD)/step
	$(CC) $(STEP_CFLAGS) -c -o $@ $<

$(BUILD)/test_singlestep: $(stepped-objs) $(stepper-objs)
	$(CC) -no-pie -o $@ $^

$(BUILD)/test_singlestep_packets: $(BUILD)/test_singlestep
	printf '#!/bin/sh\nexec %s --packets "$$@"\n' $< > $@
	chmod +x $@

$(BUILD)/test_singlestep_rest: $(BUILD)/test_singlestep
	printf '#!/bin/sh\nexec %s --rest "$$@"\n' $< > $@
	chmod +x $@

$(BUILD)/test_singlestep_keep: $(BUILD)/test_singlestep
	printf '#!/bin/sh\nexec %s --keep "$$@"\n' $< > $@
	chmod +x $@

$(BUILD)/test_singlestep_stuck: $(BUILD)/test_singlestep
	printf '#!/bin/sh\nexec %s --stuck "$$@"\n' $< > $@
	chmod +x $@

test_singlestep-inputs := $(BUILD)/test_singlestep $(step)/build.mk
test_singlestep_packets-inputs := $(test_singlestep-inputs)
test_singlestep_rest-inputs := $(test_singlestep-inputs)
test_singlestep_stuck-inputs := $(test_singlestep-inputs)
test_singlestep_keep-inputs := $(test_singlestep-inputs)

$(BUILD)/test_mutants: $(step)/mutants.py $(step)/build.mk | $(BUILD)
	printf '#!/bin/sh\nexec %s %s %s "$$@"\n' $< $(here) $(BUILD) > $@
	chmod +x $@

$(addprefix $(BUILD)/test_ring_,buffer stop random): $(BUILD)/%: $(unit)/%.c \
		$(step-ring) $(unit)/test_ring.h \
		$(unit)/ktap.h $(step-headers) | $(BUILD)
	$(CC) -std=gnu11 -g -O1 -Wall -Wextra -Wno-sign-compare -Werror \
		-fsanitize=address,undefined -fno-sanitize-recover=all \
		$(step-include) -I$(unit) $(if $(MUTANT),-w) $(CFLAGS) \
		-o $@ $(filter %.c,$^)

$(BUILD)/test_packets: $(unit)/test_packets.c \
		$(ring) $(core)/relay/packet_reader.c \
		$(unit)/test_ring.h $(unit)/ktap.h $(step-headers) | $(BUILD)
	$(CC) -std=gnu11 -g -O1 -Wall -Wextra -Wno-sign-compare -Werror \
		-fsanitize=address,undefined -fno-sanitize-recover=all \
		$(step-include) -I$(unit) $(CFLAGS) -o $@ $(filter %.c,$^)

# Hours.
.PHONY: check-full
check-full: $(BUILD)/test_singlestep
	$< --full
	$< --packets --full
	$< --rest --full
	$< --stuck --full
	$< --keep --full

# What the stack holds must not show: here it holds a pattern.
bridge := $(top)/kernel/trace/ltt-events/tracepoints
$(BUILD)/test_bridge: $(unit)/test_bridge.c $(step-ring) $(wildcard $(bridge)/stages/*.h) $(bridge)/bytes.h \
		$(unit)/test_ring.h $(unit)/ktap.h $(step-headers) | $(BUILD)
	$(CC) -std=gnu11 -g -O2 -Wall -Wextra -Wno-sign-compare -Wno-unused -Werror \
		-ftrivial-auto-var-init=pattern -fsanitize=address,undefined \
		-fno-sanitize-recover=all $(step-include) -I$(unit) $(CFLAGS) -o $@ $(filter %.c,$^)

$(BUILD)/test_scratch: $(unit)/test_scratch.c $(bridge)/scratch.c $(bridge)/bytes.h $(unit)/ktap.h \
		$(unit)/shim/bridge/linux/sched.h $(step-headers) | $(BUILD)
	$(CC) -std=gnu11 -g -O1 -Wall -Wextra -Wno-sign-compare -Werror \
		-fsanitize=address,undefined -fno-sanitize-recover=all \
		$(step-include) -I$(unit)/shim/bridge -I$(unit) $(CFLAGS) -o $@ $<

# Reads unaligned words.
$(BUILD)/test_arg_copy: $(unit)/test_arg_copy.c $(core)/marker/arg_copy.c \
		$(core)/marker/short_string.h $(core)/marker/nofault.h $(unit)/ktap.h \
		$(wildcard $(unit)/shim/arg_copy/*/*.h) $(step-headers) | $(BUILD)
	$(CC) -std=gnu11 -g -O1 -Wall -Wextra -Wno-sign-compare -Werror \
		-fsanitize=address,undefined -fno-sanitize-recover=all \
		-I$(unit)/shim/arg_copy $(step-include) -I$(unit) $(CFLAGS) -o $@ $<
