# SPDX-License-Identifier: GPL-2.0
#
# Fuzzers, included by tools/testing/ltt/Makefile.

# libFuzzer comes with clang: FUZZ_TIME=SECONDS make fuzz
FUZZ_CC ?= clang
FUZZ_TIME ?= 60

fuzzers := $(addprefix $(BUILD)/,fuzz_view fuzz_format fuzz_expr fuzz_area)
fuzz-src := $(sort $(libltt-src) $(tsdl) $(expr) $(area) $(area-log))
# The dump that it reads is fuzz_area's.
fuzz-area-src := $(addprefix $(top)/tools/ltt/crash/,find.c compose.c)
$(BUILD)/fuzz_area: $(fuzz-area-src)
$(fuzzers): $(BUILD)/%: $(here)/fuzz/%.c $(fuzz-src) $(libltt-headers) $(here)/fuzz/build.mk | $(BUILD)
	$(FUZZ_CC) $(CFLAGS_COMMON) -D_GNU_SOURCE $(includes) -O1 \
		-fsanitize=fuzzer,address,undefined -fno-sanitize-recover=all \
		-o $@ $(filter %.c,$^)

fuzz-serve-src := $(addprefix $(top)/tools/ltt/serve/,store.c viewer.c say.c)
$(BUILD)/fuzz_serve: $(here)/fuzz/fuzz_serve.c $(fuzz-serve-src) $(libltt-headers) $(here)/fuzz/build.mk | $(BUILD)
	$(FUZZ_CC) $(CFLAGS_COMMON) -D_GNU_SOURCE $(includes) -O1 \
		-fsanitize=fuzzer,address,undefined -fno-sanitize-recover=all \
		-o $@ $< $(fuzz-serve-src)

# The same, which begins with other traces.
$(BUILD)/fuzz_foreign: $(BUILD)/fuzz_view
	ln -f $< $@

$(BUILD)/fuzz_seed: $(here)/fuzz/fuzz_seed.c $(tsdl) $(format) $(libltt-headers) | $(BUILD)
	$(CC) $(CFLAGS_COMMON) -D_GNU_SOURCE $(includes) -O1 -o $@ $< $(tsdl) $(format)

.PHONY: fuzz
fuzz: $(fuzzers) $(BUILD)/fuzz_foreign $(BUILD)/fuzz_serve $(BUILD)/fuzz_seed
	@$(here)/fuzz/fuzz.sh $(BUILD) $(FUZZ_TIME)
