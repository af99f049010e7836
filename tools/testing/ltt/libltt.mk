# SPDX-License-Identifier: GPL-2.0
#
# Tests and benchmarks of libltt and `ltt view`, included by
# tools/testing/ltt/Makefile.

libltt-src := $(sort $(wildcard $(top)/tools/ltt/lib/*.c $(top)/tools/ltt/lib/ctf/*.c)) $(format) $(expr) $(render) $(merge)
libltt-headers := $(shared-headers) $(wildcard $(top)/tools/ltt/*/*.h $(top)/tools/ltt/lib/ctf/*.h $(unit)/*.h)

libltt-tests := test_libltt test_libltt_more test_damage test_repair
tests += $(libltt-tests)
$(foreach t,$(libltt-tests),$(eval $(t)-src := $(libltt-src) $(tsdl)))
$(foreach t,$(libltt-tests),$(eval $(t)-cflags := -D_GNU_SOURCE))
test_damage-cflags += -Wl,--wrap=open,--wrap=fstat,--wrap=pread
test_repair-src += $(wildcard $(top)/tools/ltt/repair/*.c) \
		   $(addprefix $(top)/tools/ltt/common/,ondisk.c printable.c)
$(addprefix $(BUILD)/,$(libltt-tests)): $(libltt-headers) $(here)/libltt.mk

tests += test_vmcore
test_vmcore-src := $(addprefix $(top)/tools/ltt/,$(addprefix crash/,find.c compose.c image.c vmcore.c) \
		     common/printable.c) $(format) $(tsdl) $(area) $(area-log)
test_vmcore-cflags := -D_GNU_SOURCE -DLTT_HAVE_KDUMPFILE -Wl,--wrap=sysconf -Wl,--no-as-needed -lkdumpfile
$(BUILD)/test_vmcore: $(libltt-headers) $(here)/libltt.mk

tests += test_progress
test_progress-src := $(addprefix $(top)/tools/ltt/capture/,progress.c channel.c)
test_progress-cflags := -D_GNU_SOURCE -pthread -I$(top)/include/uapi
$(BUILD)/test_progress: $(libltt-headers) $(here)/libltt.mk

tests += test_capture
test_capture-src := $(addprefix $(top)/tools/ltt/capture/,metadata.c stream.c sink_directory.c symbols.c \
		      channel.c control.c) $(top)/tools/ltt/common/ondisk.c
test_capture-cflags := -D_GNU_SOURCE -pthread -I$(top)/include/uapi -Wl,--wrap=ioctl,--wrap=open,--wrap=close
$(BUILD)/test_capture: $(libltt-headers) $(here)/libltt.mk

tests += test_child
test_child-src := $(addprefix $(top)/tools/ltt/,$(addprefix capture/,child.c control.c) common/signals.c)
test_child-cflags := -D_GNU_SOURCE -I$(top)/include/uapi -Wl,--wrap=clock_gettime
$(BUILD)/test_child: $(libltt-headers) $(here)/libltt.mk

tests += test_kept
test_kept-src := $(addprefix $(top)/tools/ltt/,flight/kept.c common/printable.c) $(libltt-src) $(tsdl)
test_kept-cflags := -D_GNU_SOURCE -I$(top)/include/uapi
$(BUILD)/test_kept: $(libltt-headers) $(here)/libltt.mk

# Less patient than others, but not less than a machine that is busy with other tests may need.
tests += test_relay
test_relay-src := $(wildcard $(top)/tools/ltt/relay/*.c) $(addprefix $(top)/tools/ltt/capture/,scan.c session.c \
		    metadata.c stream.c channel.c control.c) $(top)/tools/ltt/common/ondisk.c \
		  $(wildcard $(top)/tools/ltt/capture/sink_relay*.c)
test_relay-cflags := -D_GNU_SOURCE -pthread -I$(top)/include/uapi -DRELAY_TIMEOUT=1500 \
		     -DRELAY_BYTES_PER_MS=16384 -DPATIENCE=2500 \
		     -Wl,--wrap=gethostname,--wrap=ioctl,--wrap=session_uuid
$(BUILD)/test_relay: $(libltt-headers) $(here)/libltt.mk

tests += test_serve
test_serve-src := $(addprefix $(top)/tools/ltt/serve/,store.c viewer.c say.c)
test_serve-cflags := -D_GNU_SOURCE
$(BUILD)/test_serve: $(libltt-headers) $(here)/libltt.mk

# With the tracer's files, but none of its packets.
tests += test_serve_kernel
test_serve_kernel-src := $(addprefix $(top)/tools/ltt/,$(addprefix serve/,kernel.c store.c say.c) \
			   $(addprefix capture/,capture.c channel.c control.c metadata.c scan.c session.c stream.c \
			     symbols.c worker.c) common/ondisk.c)
test_serve_kernel-cflags := -D_GNU_SOURCE -pthread -I$(top)/include/uapi \
			    -Wl,--wrap=ioctl,--wrap=read,--wrap=epoll_ctl,--wrap=malloc,--wrap=calloc,--wrap=openat
$(BUILD)/test_serve_kernel: $(libltt-headers) $(here)/libltt.mk

$(BUILD)/make_bench: $(here)/bench/make_bench.c $(tsdl) $(format) $(libltt-headers) | $(BUILD)
	$(CC) $(CFLAGS_BENCH) -D_GNU_SOURCE $(includes) -o $@ $< $(tsdl) $(format)

# The command as it is installed.
.PHONY: ltt bench-view
ltt:
	@$(MAKE) -s -C $(top)/tools/ltt

bench: bench-view
bench-view: ltt $(BUILD)/make_bench
	@$(here)/bench/bench_view.sh $(BUILD) $(top)/build/tools/ltt

# Its own makefile knows what it depends on.
FORCE:

# The command with sanitizers.
$(BUILD)/tools/ltt: FORCE
	@$(MAKE) -s -C $(top)/tools/ltt OUTPUT=$(BUILD)/tools CC='$(CC)' $@ \
		CFLAGS='-O1 -g -fsanitize=address,undefined -fno-sanitize-recover=all'

# The same, where even small traces are read by several threads, in many slices.
slices := -DLIB_SLICE_MIN=8192u -DLIB_SLICE_MAX=16384u -DLIB_CHUNK=4096u -DLIB_KEPT=16384u \
	  -DCTF_ROOM=8192u -DCTF_PLACES=64u
jobs-asan := address,undefined
jobs-tsan := thread
$(BUILD)/jobs-asan/ltt $(BUILD)/jobs-tsan/ltt: $(BUILD)/jobs-%/ltt: FORCE
	@$(MAKE) -s -C $(top)/tools/ltt OUTPUT=$(@D) CC='$(CC)' $@ \
		CFLAGS='-O1 -g -fsanitize=$(jobs-$*) -fno-sanitize-recover=all $(slices)'

tests += test_jobs
$(BUILD)/test_jobs: $(unit)/test_jobs.py $(BUILD)/jobs-asan/ltt $(BUILD)/jobs-tsan/ltt \
		$(BUILD)/make_trace $(BUILD)/make_trace_s390x $(BUILD)/make_bench | ltt
	printf '#!/bin/sh\nexec %s %s %s %s %s\n' $< $(BUILD) $(top)/build/tools/ltt \
		$(BUILD)/jobs-asan/ltt $(BUILD)/jobs-tsan/ltt > $@
	chmod +x $@

# Less patient than others.
$(BUILD)/remote-asan/ltt: FORCE
	@$(MAKE) -s -C $(top)/tools/ltt OUTPUT=$(@D) CC='$(CC)' $@ \
		CFLAGS='-O1 -g -fsanitize=address,undefined -fno-sanitize-recover=all \
			-DRELAY_TIMEOUT=15000 -DRELAY_BYTES_PER_MS=16384 -DREMOTE_PATIENCE=9000'

tests += test_remote
$(BUILD)/test_remote: $(unit)/test_remote.py $(unit)/live_server.py $(BUILD)/remote-asan/ltt \
		$(BUILD)/make_trace $(BUILD)/make_trace_s390x $(BUILD)/make_bench
	printf '#!/bin/sh\nexec %s %s %s\n' $< $(BUILD) $(BUILD)/remote-asan/ltt > $@
	chmod +x $@

tests += test_view
$(BUILD)/test_view: $(unit)/test_view.sh $(unit)/compare_view.py $(BUILD)/tools/ltt \
		$(BUILD)/make_trace $(BUILD)/make_trace_s390x $(BUILD)/make_bench | ltt
	printf '#!/bin/sh\nexec %s %s %s\n' $< $(BUILD) $(BUILD)/tools/ltt > $@
	chmod +x $@

# Pairs, of both byte orders.
$(BUILD)/make_pairs: $(unit)/make_pairs.c $(tsdl) $(format) $(libltt-headers) | $(BUILD)
	$(CC) $(CFLAGS_CHECK) -D_GNU_SOURCE $(includes) -o $@ $< $(tsdl) $(format)

$(BUILD)/make_pairs_s390x: $(unit)/make_pairs.c $(tsdl) $(format) $(libltt-headers) | $(BUILD)
	$(S390X_CC) $(CFLAGS_COMMON) -D_GNU_SOURCE $(includes) -O2 -fno-strict-aliasing -static \
		-o $@ $< $(tsdl) $(format)

$(BUILD)/scan_trace: $(unit)/scan_trace.c $(libltt-src) $(libltt-headers) | $(BUILD)
	$(CC) $(CFLAGS_CHECK) -D_GNU_SOURCE $(includes) -o $@ $< $(libltt-src)

tests += test_foreign
$(BUILD)/test_foreign: $(unit)/test_foreign.sh $(wildcard $(unit)/*foreign*) $(BUILD)/tools/ltt \
		$(BUILD)/jobs-asan/ltt $(BUILD)/make_trace
	printf '#!/bin/sh\nexec %s %s %s %s "$$@"\n' $< $(BUILD) $(BUILD)/tools/ltt $(BUILD)/jobs-asan/ltt > $@
	chmod +x $@

# The part of it that depends on chance.
tests += test_foreign_chance
$(BUILD)/test_foreign_chance: $(BUILD)/test_foreign
	printf '#!/bin/sh\nexec %s --chance\n' $< > $@
	chmod +x $@

tests += test_small_ctf
$(BUILD)/test_small_ctf: $(unit)/test_small_ctf.sh $(unit)/small_ctf.py $(BUILD)/tools/ltt
	printf '#!/bin/sh\nexec %s %s\n' $< $(BUILD)/tools/ltt > $@
	chmod +x $@

tests += test_export
$(BUILD)/test_export: $(unit)/test_export.sh $(unit)/compare_perfetto.py $(unit)/perfetto.proto \
		$(BUILD)/tools/ltt $(BUILD)/make_trace $(BUILD)/make_trace_s390x $(BUILD)/make_bench
	printf '#!/bin/sh\nexec %s %s %s\n' $< $(BUILD) $(BUILD)/tools/ltt > $@
	chmod +x $@

tests += test_names
$(BUILD)/test_names: $(unit)/test_names.sh $(BUILD)/tools/ltt $(BUILD)/make_trace $(BUILD)/make_trace_s390x \
		$(BUILD)/make_bench
	printf '#!/bin/sh\nexec %s %s %s\n' $< $(BUILD) $(BUILD)/tools/ltt > $@
	chmod +x $@

tests += test_plot
$(BUILD)/test_plot: $(unit)/test_plot.sh $(unit)/compare_plot.py $(unit)/browse_plot.py $(BUILD)/tools/ltt \
		$(BUILD)/make_trace $(BUILD)/make_trace_s390x $(BUILD)/make_bench
	printf '#!/bin/sh\nexec %s %s %s\n' $< $(BUILD) $(BUILD)/tools/ltt > $@
	chmod +x $@

tests += test_pair
$(BUILD)/test_pair: $(unit)/test_pair.sh $(top)/tools/testing/selftests/ltt/compare/pairs.awk $(BUILD)/tools/ltt $(BUILD)/scan_trace \
		$(addprefix $(BUILD)/make_,pairs pairs_s390x trace trace_s390x) | ltt
	printf '#!/bin/sh\nexec %s %s %s %s\n' $< $(BUILD) $(BUILD)/tools/ltt $(top)/build/tools/ltt > $@
	chmod +x $@

tests += test_image
$(BUILD)/test_image: $(unit)/test_image.sh $(BUILD)/tools/ltt $(BUILD)/test_area
	printf '#!/bin/sh\nexec %s %s %s\n' $< $(BUILD)/tools/ltt $(BUILD)/test_area > $@
	chmod +x $@

tests += test_tracer
$(BUILD)/test_tracer: $(unit)/test_tracer.sh $(BUILD)/tools/ltt
	printf '#!/bin/sh\nexec %s %s\n' $< $(BUILD)/tools/ltt > $@
	chmod +x $@

tests += test_listen
$(BUILD)/test_listen: $(unit)/test_listen.sh $(BUILD)/tools/ltt
	printf '#!/bin/sh\nexec %s %s\n' $< $(BUILD)/tools/ltt > $@
	chmod +x $@

tests += test_install
$(BUILD)/test_install: $(unit)/test_install.sh | $(BUILD)
	printf '#!/bin/sh\nexec env CC="%s" %s\n' '$(CC)' $< > $@
	chmod +x $@

tests += test_completion
$(BUILD)/test_completion: $(unit)/test_completion.py $(BUILD)/tools/ltt $(wildcard $(top)/tools/ltt/completion/*)
	printf '#!/bin/sh\nexec %s %s\n' $< $(BUILD)/tools/ltt > $@
	chmod +x $@

tests += test_man
$(BUILD)/test_man: $(unit)/test_man.sh $(BUILD)/tools/ltt
	printf '#!/bin/sh\nexec %s %s\n' $< $(BUILD)/tools/ltt > $@
	chmod +x $@
