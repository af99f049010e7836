# SPDX-License-Identifier: GPL-2.0
#
# LTT built as modules, outside of the kernel's tree. `make help` explains.

MAKEFLAGS += --no-print-directory
empty :=
space := $(empty) $(empty)
testing := tools/testing/ltt
selftests := tools/testing/selftests/ltt

# Tests run in a virtual machine on Debian's kernel, whatever runs here.
vm-goals := vm vm-shell demo bench
lib = bash -c '. $(testing)/lib.sh; $(1)' make
# Results of a command, counted; it fails, too, if the command does.
summed := bash -o pipefail -c '"$$@" | $(testing)/ktap-sum' make
ifneq ($(KVER),)
asked := $(KVER)
override KVER := $(shell $(call lib,kernel_release $(asked)))
ifeq ($(KVER),)
$(error no such kernel: $(asked))
endif
# The scripts read it from the environment, where override alone does not put it.
export KVER
endif
# Not before it is asked for: a fresh machine can't tell before setup has run.
wanted = $(or $(KVER),$(shell $(if $(filter $(vm-goals),$(MAKECMDGOALS)),\
	$(call lib,default_kver),uname -r)))
KDIR ?= $(shell $(if $(DEBUG),$(testing)/vm/debug-kernel,$(call lib,kernel_headers $(wanted))))
# What that kernel calls itself: build.sh puts the modules there.
release = $(shell sed -n 's/^\#define UTS_RELEASE "\(.*\)"/\1/p' \
	'$(KDIR)/include/generated/utsrelease.h')

# What kbuild is to be told of our command line; the rest is ours.
kbuild-args = $(foreach v,W C CF V CC LLVM,$(if \
	$(filter-out default undefined,$(origin $(v))),$(v)='$($(v))'))
build = $(testing)/build.sh '$(KDIR)' $(kbuild-args)
ours := ltt-core ltt-textout ltt-tracepoints ltt-syscalls ltt-statedump
# All that there can be, those first that use others.
every := ltt-tool ltt-statedump ltt-function ltt-btf ltt-kprobes ltt-syscalls ltt-tracepoints \
	 ltt-textout ltt-core

.PHONY: all modules tools install symvers_install uninstall deb load unload setup vm vm-shell vm-build \
	demo check check-all check-debug check-kernels check-long check-mutants \
	bench bench-uml checkpatch site tree series needs-linux clean help

all: modules

modules:
	@$(build)

# Several may be at it at once, for the same virtual machine's sake.
tools:
	@mkdir -p build
	@flock build/tools.lock $(MAKE) -s -C tools/ltt all static

# Samples and tests stay here. Distributions keep the key for themselves with which their
# kernels have modules signed; and their headers lack what kbuild wants to see before it
# calls depmod.
key = $(shell sed -n 's/^CONFIG_MODULE_SIG_KEY="\(.*\)"/\1/p' '$(KDIR)/.config')
has-key = $(filter pkcs11:%,$(key))$(wildcard $(key) $(KDIR)/$(key))
# What is called for it works in directories of its own.
absolute = $(if $(1),$(if $(filter /%,$(firstword $(1))),,$(CURDIR)/)$(1))
override DESTDIR := $(call absolute,$(DESTDIR))
INSTALL_MOD_PATH ?= $(DESTDIR)
override INSTALL_MOD_PATH := $(call absolute,$(INSTALL_MOD_PATH))
install: installed = $(CURDIR)/build/$(release)
# The tools first: one module has the command in it.
install: tools
	$(MAKE) modules
	grep -v -e samples/ltt/ -e selftests/ltt/modules/ $(installed)/modules.order > $(installed)/install.order
	$(MAKE) -C $(KDIR) M=$(installed) MODORDER=$(installed)/install.order \
		$(if $(INSTALL_MOD_PATH),INSTALL_MOD_PATH='$(INSTALL_MOD_PATH)') \
		$(if $(has-key),,CONFIG_MODULE_SIG_ALL=) modules_install
	depmod $(if $(INSTALL_MOD_PATH),-b '$(INSTALL_MOD_PATH)') $(release)
	$(MAKE) symvers_install
	$(MAKE) -C tools/ltt install DESTDIR='$(DESTDIR)'
	$(if $(DESTDIR),,ldconfig)

# For modules that use more of ours than markers: what modpost asks for.
symvers_install:
	install -d -m 755 '$(INSTALL_MOD_PATH)/lib/modules/$(release)'
	grep -v -e selftests/ltt/modules/ build/$(release)/Module.symvers \
		> '$(INSTALL_MOD_PATH)/lib/modules/$(release)/ltt.symvers'

# What install has put there, and nothing else: kernels have modules of other trees in extra, or,
# newer ones, in updates. The headers of that kernel may be gone. Files in /etc/ltt stay.
uninstall: gone = $(or $(release),$(if $(filter file,$(origin KDIR)),$(wanted)))
uninstall: is-ours = -regex '.*/\($(subst $(space),\|,$(strip $(every)))\)\.ko\(\.gz\|\.xz\|\.zst\)?'
uninstall:
	@$(if $(findstring $(space),$(DESTDIR)),$(error DESTDIR has a blank))
	@[ "$(gone)" ] || { echo "$(KDIR): no kernel build directory" >&2; exit 2; }
	dir='$(INSTALL_MOD_PATH)/lib/modules/$(gone)'; [ -d "$$dir" ] || exit 0; \
	cd "$$dir" && rm -f ltt.symvers && \
	for dir in extra/kernel updates/kernel; do \
		[ -d $$dir/trace ] || continue; \
		find $$dir/trace $(is-ours) -delete && \
		find $$dir/trace -depth -type d -empty -delete && \
		rmdir -p --ignore-fail-on-non-empty $$dir || exit; \
	done && \
	depmod $(if $(INSTALL_MOD_PATH),-b '$(INSTALL_MOD_PATH)') $(gone)
	$(MAKE) -C tools/ltt uninstall DESTDIR='$(DESTDIR)'
	$(if $(DESTDIR),,ldconfig)

# Debian's packages, in build/deb. Of what is committed, so that nothing else gets into them.
deb:
	rm -rf build/deb
	mkdir -p build/deb/ltt
	git archive HEAD | tar -x -C build/deb/ltt
	cd build/deb/ltt && dpkg-buildpackage -us -uc $(DEBARGS)

load: modules
	@for m in $(ours); do \
		for ko in build/$(release)/kernel/trace/*/$$m.ko \
			  build/$(release)/kernel/trace/*/*/$$m.ko; do \
			[ ! -e $$ko ] || [ -e /sys/module/$$(echo $$m | tr - _) ] || \
				insmod $$ko || exit; \
		done; \
	done

# Who reads a trace keeps its modules: readers come to the end when it is destroyed. What an
# earlier boot has left, which cannot be enabled, stays in its memory.
unload:
	@cd /sys/kernel/debug/ltt 2> /dev/null || exit 0; \
	for trace in traces/*/; do \
		[ ! -e $$trace/enabled ] || { basename $$trace > destroy_trace; sleep 1; }; \
	done
	@for m in $(subst -,_,$(every)); do \
		[ ! -e /sys/module/$$m ] || rmmod $$m || exit; \
	done

setup:
	@$(testing)/debian/setup.sh $(KVER)

# Quiet, unless it fails: standard output belongs to the command.
vm-build: setup
	@mkdir -p build; log=$$(mktemp build/log.XXXXXX); \
	 { $(MAKE) tools && MODULE_TREE=1 $(build) -s; } > $$log 2>&1 || { cat $$log >&2; rm $$log; exit 2; }; rm $$log

# An image of your own comes with its own modules, or without any.
# A $ in the command is the guest shell's, not make's.
override CMD := $(value CMD)
vm: $(if $(KIMG),,vm-build)
	@$(testing)/vm/run "$$CMD"
export CMD

vm-shell: $(if $(KIMG),,vm-build)
	@TTY=1 $(testing)/vm/run

demo: vm-build
	@TIMEOUT=0 $(testing)/vm/run "DURATION=$(DURATION) $(testing)/demo.sh"

# Instructions first, then delays, with a clock that counts instructions and by the host's;
# rates; then what runs on this machine itself.
bench: vm-build
	@$(MAKE) -s -C $(selftests) OUTPUT=$(CURDIR)/build/selftests all
	@bash -o pipefail -c 'lttng=$$($(testing)/debian/lttng "$(wanted)") || echo "# without LTTng"; \
		{ APPEND="memmap=32M\$$0x30000000 ltt_core.persist=16M@0x30000000 \
			trace_instance=persistent@0x31000000:16M" \
		ICOUNT=1 $(testing)/vm/run "LTTNG=$$lttng $(selftests)/bench/bench.sh" && \
		ICOUNT=1 $(testing)/vm/run $(selftests)/bench/bench-reader.sh && \
		ICOUNT=1 $(testing)/vm/run "LTTNG=$$lttng $(selftests)/bench/bench-hackbench.sh" && \
		ICOUNT=1 SMP=2 $(testing)/vm/run $(selftests)/bench/bench-delay.sh && \
		SMP=$$(nproc) $(testing)/vm/run "$(selftests)/bench/bench-delay.sh _wall" && \
		$(testing)/vm/run $(selftests)/bench/bench-smp.sh && $(testing)/vm/run $(selftests)/bench/bench-capture.sh && \
		$(MAKE) -s -C $(testing) bench-view; } | $(testing)/bench/bench_report.py build'

bench-uml:
	@mkdir -p build/uml
	@bash -o pipefail -c '$(testing)/bench/bench_uml.sh | $(testing)/bench/bench_report.py build/uml'

check:
	@$(testing)/check.sh $(T)

check-debug:
	@status=0; DEBUG=1 WITH="$(WITH)" $(testing)/check.sh || status=1; \
	 WITH= DEBUG=kcsan $(testing)/check.sh || status=1; exit $$status

# MUTANT=NAME: one of them, or those of one test.
check-mutants:
	@$(summed) $(testing)/mutants/run.py $(if $(MUTANT),'$(MUTANT)')

check-kernels:
	@status=0; for kver in $$($(call lib,other_kernels)); do \
		KVER=$$kver $(testing)/check.sh || status=1; \
	 done; exit $$status

check-long:
	@status=0; LTT_LONG=1 $(testing)/check.sh || status=1; \
	 $(summed) $(testing)/uml/smp.sh || status=1; \
	 for vehicle in uml qemu; do \
		VEHICLE=$$vehicle $(summed) $(testing)/intree/kselftest.sh || status=1; \
	 done; \
	 $(summed) $(testing)/intree/kernels.sh || status=1; \
	 $(MAKE) bench-uml || status=1; \
	 $(summed) $(MAKE) -s -C $(testing) fuzz FUZZ_TIME=60 || status=1; \
	 for release in bookworm trixie; do \
		$(summed) $(testing)/debian/packages.sh $$release || status=1; \
	 done; exit $$status

check-all:
	@status=0; for part in check-long check-kernels check-mutants; do \
		$(MAKE) $$part || status=1; \
	 done; \
	 $(MAKE) check-debug WITH=fuzz.sh || status=1; exit $$status

checkpatch: setup
	@$(testing)/checkpatch.sh

# The documentation, with plots of what `make bench` has measured.
site: setup
	@$(testing)/site/build.sh build/site $(wildcard build/bench.json)
	@echo build/site/index.html

# LINUX=DIR: a kernel's source.
tree series: $(if $(LINUX),,needs-linux)
needs-linux:
	@echo "usage: make $(filter tree series,$(MAKECMDGOALS)) LINUX=DIRECTORY" >&2; exit 2

tree:
	@$(testing)/intree/tree.py '$(LINUX)'

series:
	@$(testing)/intree/series.py '$(LINUX)' build/series $(wildcard build/bench.json)
	@echo build/series/*

clean:
	rm -rf build
	@[ ! -e $(testing)/Makefile ] || $(MAKE) -C $(testing) clean

help:
	@sed -n 's/^#? \{0,1\}//p' $(firstword $(MAKEFILE_LIST))

#? make                    build the modules for the running kernel
#?   KVER=RELEASE             for another Debian kernel
#?   KVER=6.12 KVER=newest    for the newest of a series, or the newest of all
#?   KVER=6.1-rt              the same, with PREEMPT_RT
#?   KDIR=DIRECTORY           for the kernel built in DIRECTORY
#?   W=1 C=1                  with extra warnings, with sparse
#? make load, unload        load the modules into the running kernel, unload them
#? make tools               build the ltt command in build/tools
#? make install             install modules in /lib/modules, the command, man pages and
#?                            headers for modules in PREFIX, and a hook for initramfs-tools
#?   DESTDIR=DIRECTORY        all of it below DIRECTORY
#? make uninstall           remove what make install has installed, with the same variables
#? make deb                 build Debian packages of what is committed, in build/deb
#? make setup               install the packages needed by everything else, of Debian 12
#? make demo [DURATION=10]  show a live trace of a virtual machine's kernel
#? make check               run the tests, those of the kernel in virtual machines (KTAP)
#?   T='NAME...'              only these: test_format, test-filter.sh or filter; NAME:3 is
#?                            case 3 of NAME
#?   VEHICLE=qemu             all selftests in QEMU, none in user-mode Linux
#?   FRESH=1                  compile and test what the cache has, too
#? make check-debug         run the selftests on kernels with debug checks enabled
#? make check-mutants       check that each selftest catches the bugs it was written for
#?   MUTANT=test-types.sh     only the mutants of one test, or a single mutant
#? make check-kernels       run make check for PREEMPT_RT and newer kernels
#? make check-long          run make check with all cases, more rounds, a soak test and fuzzers
#? make check-all           run the four above, which can also be run one by one
#? make bench               measure costs in instructions and milliseconds; also writes
#?                            build/bench.html
#? make bench-uml           measure nanoseconds in user-mode Linux, on this machine's CPU
#? make checkpatch          run the kernel's style checker on all files
#? make site                build the documentation as HTML in build/site
#? make vm CMD='...'        run a command in a virtual machine with the modules loaded
#?   SMP=4 MEM=2G ICOUNT=1 DEBUG=1 KVER= KIMG= APPEND= OUT= TIMEOUT= ...
#?                            see tools/testing/ltt/vm/run
#? make vm-shell            open a shell in that virtual machine
#? make tree LINUX=DIR      lay LTT over a kernel's source, or a newer LTT over an older one
#? make series LINUX=DIR    write patches that add LTT to that kernel into build/series
#? make clean               remove all build output
