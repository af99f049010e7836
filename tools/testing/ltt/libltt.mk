# SPDX-License-Identifier: GPL-2.0
#
# Tests, fuzzers and benchmarks of libltt and `ltt view`, included by
# tools/testing/ltt/Makefile.

libltt-src := $(sort $(wildcard $(top)/tools/ltt/lib_*.c)) $(format) $(render) $(merge)
libltt-headers := $(wildcard $(top)/tools/ltt/*.h $(here)/*.h $(core)/*.h $(textout)/*.h \
		    $(top)/include/linux/ltt/*.h)
writer-src := $(tsdl)

libltt-tests := test_libltt test_libltt_more test_damage test_repair
tests += $(libltt-tests)
$(foreach t,$(libltt-tests),$(eval $(t)-src := $(libltt-src) $(writer-src)))
$(foreach t,$(libltt-tests),$(eval $(t)-cflags := -D_GNU_SOURCE))
test_damage-cflags += -Wl,--wrap=open,--wrap=fstat,--wrap=pread
test_repair-src += $(wildcard $(top)/tools/ltt/repair*.c) \
		   $(addprefix $(top)/tools/ltt/,ondisk.c printable.c)
$(addprefix $(BUILD)/,$(libltt-tests)): $(libltt-headers) $(here)/libltt.mk

tests += test_progress
test_progress-src := $(addprefix $(top)/tools/ltt/,progress.c channel.c)
test_progress-cflags := -D_GNU_SOURCE -pthread -I$(top)/include/uapi
$(BUILD)/test_progress: $(libltt-headers) $(here)/libltt.mk

# libFuzzer comes with clang: FUZZ_TIME=SECONDS make fuzz
FUZZ_CC ?= clang
FUZZ_TIME ?= 60

fuzzers := $(addprefix $(BUILD)/,fuzz_view fuzz_format)
$(fuzzers): $(BUILD)/%: $(here)/%.c $(libltt-src) $(writer-src) $(libltt-headers) \
		$(here)/libltt.mk | $(BUILD)
	$(FUZZ_CC) $(CFLAGS_COMMON) -D_GNU_SOURCE $(includes) -O1 \
		-fsanitize=fuzzer,address,undefined -fno-sanitize-recover=all \
		-o $@ $< $(libltt-src) $(writer-src)

$(BUILD)/fuzz_seed: $(here)/fuzz_seed.c $(writer-src) $(format) $(libltt-headers) | $(BUILD)
	$(CC) $(CFLAGS_COMMON) -D_GNU_SOURCE $(includes) -O1 -o $@ $< $(writer-src) $(format)

.PHONY: fuzz
fuzz: $(fuzzers) $(BUILD)/fuzz_seed
	@$(here)/fuzz.sh $(BUILD) $(FUZZ_TIME)

$(BUILD)/make_bench: $(here)/make_bench.c $(writer-src) $(format) $(libltt-headers) | $(BUILD)
	$(CC) $(CFLAGS_BENCH) -D_GNU_SOURCE $(includes) -o $@ $< $(writer-src) $(format)

# The command as it is installed.
.PHONY: ltt bench-view
ltt:
	@$(MAKE) -s -C $(top)/tools/ltt

bench: bench-view
bench-view: ltt $(BUILD)/make_bench
	@$(here)/bench_view.sh $(BUILD) $(top)/build/tools/ltt

# The command with sanitizers.
$(BUILD)/tools/ltt: $(wildcard $(top)/tools/ltt/*.[ch]) $(libltt-src) $(here)/libltt.mk
	@$(MAKE) -s -C $(top)/tools/ltt OUTPUT=$(BUILD)/tools $@ \
		CFLAGS='-O1 -g -fsanitize=address,undefined -fno-sanitize-recover=all'

tests += test_view
$(BUILD)/test_view: $(here)/test_view.sh $(here)/compare_view.py $(BUILD)/tools/ltt \
		$(BUILD)/make_trace $(BUILD)/make_trace_s390x $(BUILD)/make_bench | ltt
	printf '#!/bin/sh\nexec %s %s %s\n' $< $(BUILD) $(BUILD)/tools/ltt > $@
	chmod +x $@
