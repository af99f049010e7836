#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# usage: test_make.sh
#
# The top makefile passes its variables to the scripts, setup.sh says in one line what is
# missing, and nothing depends on what else is installed. The scripts are replaced with ones
# that only print what they were given.
# shellcheck disable=SC2317 # tests are called by name
set -uo pipefail

here=$(cd "$(dirname "$0")/.." && pwd)
top=$(cd "$here/../../.." && pwd)
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

# shellcheck source=ktap.sh
. "$here/unit/ktap.sh"

# The scripts that the makefile calls; each says its name, KVER, DEBUG and SMP.
stand_ins()
{
	local script

	mkdir -p "$tmp/t"/{vm,debian} "$tmp/kdir"
	cp "$here/lib.sh" "$tmp/t"
	for script in debian/setup.sh build.sh check.sh vm/run; do
		cat > "$tmp/t/$script" <<-'EOM'
			#!/bin/sh
			echo "${0##*/} KVER=$KVER DEBUG=$DEBUG SMP=$SMP $*" >> "$SAID"
		EOM
		chmod +x "$tmp/t/$script"
	done
}

# said SCRIPT GOAL [VARIABLE=VALUE...]: print what the script was given.
said()
{
	local script=$1

	shift
	rm -f "$tmp/said"
	env -u KVER -u MAKEFLAGS -u MAKEOVERRIDES -u DEBUG -u SMP SAID="$tmp/said" \
		make -s -C "$top" testing="$tmp/t" KDIR="$tmp/kdir" "$@" > "$tmp/output" 2>&1 ||
		{ cat "$tmp/output"; return 1; }
	grep "^$script " "$tmp/said"
}

# hands SCRIPT GOAL: the kernel's release reaches it, from the command line and the
# environment.
hands()
{
	[[ $(said "$1" "$2" KVER=7.9.1-amd64 SMP=3) = "$1 KVER=7.9.1-amd64 DEBUG= SMP=3"* ]] &&
		[[ $(said "$1" "$2") = "$1 KVER= "* ]]
}

series()
{
	local wanted

	wanted=$(. "$here/lib.sh" && kernel_release "$(default_kver | grep -oE '^[0-9]+\.[0-9]+')")
	[[ $wanted = *.*-* && $(said check.sh check KVER="${wanted%.*}") = *"KVER=$wanted "* ]]
}

# installs VARIABLE=VALUE...: what would be done, to $tmp/output. No kernel is there.
installs()
{
	mkdir -p "$tmp/kernel/include/generated"
	echo '#define UTS_RELEASE "7.9.1-amd64"' > "$tmp/kernel/include/generated/utsrelease.h"
	printf 'modules_install:\n\tmodules in $(INSTALL_MOD_PATH)\n' > "$tmp/kernel/Makefile"
	env -u KVER -u MAKEFLAGS -u MAKEOVERRIDES make -n -o tools -C "$top" testing="$tmp/t" \
		KDIR="$tmp/kernel" SPHINXBUILD=none "$@" install > "$tmp/output" 2>&1 ||
		{ tail "$tmp/output"; return 1; }
}

# below DIRECTORY: all that is there is found from anywhere, and some is
below()
{
	local what

	! grep -oE "[^ ]*$1[^ ]*" "$tmp/output" | grep -vF "$top/$1" || return
	shift
	for what; do
		grep -qE "$what" "$tmp/output" || { echo "no $what"; return 1; }
	done
}

# A directory below the one where make was called.
relative()
{
	local modules="modules in $top"

	installs DESTDIR=some-root &&
	below some-root "$modules/some-root\$" "depmod -b .$top/some-root. 7.9.1" ' -m 755 .*/bin/ltt$' \
		'/ltt.symvers' 'ltt-flight@.service' || return
	installs DESTDIR=some-root INSTALL_MOD_PATH=some-modules &&
	below some-root ' -m 755 .*/bin/ltt$' && below some-modules "$modules/some-modules\$" '/ltt.symvers' &&
	installs && grep -q 'depmod  *7.9.1' "$tmp/output" && grep -q ' /usr/local/bin/ltt$' "$tmp/output" &&
	installs DESTDIR=/some-root && grep -q ' /some-root/usr/local/bin/ltt$' "$tmp/output"
}

# Good results of a script that then fails, as uml/run does if the kernel complained.
failed_after()
{
	mkdir -p "$tmp/t/mutants"
	cp "$here/ktap-sum" "$tmp/t"
	cat > "$tmp/t/mutants/run.py" <<-'EOM'
		#!/bin/sh
		echo "run.py exits with $SMP" >> "$SAID"
		printf 'KTAP version 1\n1..1\nok 1 x\n'
		exit $SMP
	EOM
	chmod +x "$tmp/t/mutants/run.py"
	said run.py check-mutants SMP=0 && ! said run.py check-mutants SMP=99
}

# refused MESSAGE COMMAND...: with that line, and only that
refused()
{
	local message=$1 output

	shift
	! output=$("$@" 2>&1) || { echo "not refused: $output"; return 1; }
	[[ $output = *"$message"* && $output != *$'\n'* ]] || { echo "$output"; return 1; }
}

# elsewhere OS-RELEASE COMMAND...: on a machine whose file has these lines
elsewhere()
{
	local as_root=()

	((EUID == 0)) || as_root=(--map-root-user)
	printf '%b' "$1" > "$tmp/os-release"
	shift
	unshare --mount "${as_root[@]}" \
		sh -c 'mount --bind "$0" "$(realpath /etc/os-release)" && exec "$@"' "$tmp/os-release" "$@"
}

# lacking COMMAND...: where no package is installed, and no sudo, as an ordinary user
lacking()
{
	local as_user=()

	((EUID)) || as_user=(setpriv --reuid=65534 --regid=65534 --clear-groups)
	mkdir -p "$tmp/bin"
	printf '#!/bin/sh\nexit 1\n' > "$tmp/bin/dpkg-query"
	chmod +x "$tmp/bin/dpkg-query"
	ln -sf "$(type -P bash)" "$(type -P dirname)" "$tmp/bin"
	chmod 755 "$tmp"
	"${as_user[@]}" env PATH="$tmp/bin" "$(type -P bash)" "$@"
}

# What only saves time is not asked for.
optional()
{
	mkdir -p "$tmp/optional"
	printf '#!/bin/sh\ncase $* in\n*ccache) exit 1 ;;\nesac\necho installed\n' > "$tmp/optional/dpkg-query"
	chmod +x "$tmp/optional/dpkg-query"
	[[ $(PATH=$tmp/optional:$PATH "$tmp/scripts/debian/setup.sh" 2>&1) = "not installed, builds"*": ccache" ]]
}

# LTTng's programs are fetched although this machine has them: there is nothing to install.
fetched()
{
	local dir=$tmp/fetch/tools/testing/ltt/debian script

	mkdir -p "$dir" "$tmp/apt"
	cp "$here/lib.sh" "$dir/.."
	cp "$here/debian/lttng" "$dir"
	for script in "$dir/unstable" "$dir/headers" "$tmp/apt/apt-get"; do
		printf '#!/bin/sh\necho "$*" >> %s\n' "$tmp/apt/said" > "$script"
		chmod +x "$script"
	done
	LTT_CACHE=$tmp/fetch/cache PATH=$tmp/apt:$PATH "$dir/lttng" 7.9.1-amd64
	grep -qx -- '-qq download lttng-tools' "$tmp/apt/said" || { cat "$tmp/apt/said"; return 1; }
}

# A copy of the scripts whose setup.sh only says that it was run.
tree()
{
	mkdir -p "$tmp/tree/tools"/{ltt,testing/selftests}
	cp "$top/tools/ltt/shared.mk" "$tmp/tree/tools/ltt"
	cp -r "$here" "$tmp/tree/tools/testing/ltt"
	cp -r "$top/tools/testing/selftests/ltt" "$tmp/tree/tools/testing/selftests"
	printf '#!/bin/sh\necho setup; exit 1\n' > "$tmp/tree/tools/testing/ltt/debian/setup.sh"
}

# checks [VARIABLE=VALUE...] [TEST...]: check.sh, up to there
checks()
{
	local variables=()

	while [[ ${1:-} = *=* ]]; do
		variables+=("$1")
		shift
	done
	env -u DEBUG -u WITH -u KVER -u LTT_LONG -u MAKEFLAGS -u MAKELEVEL "${variables[@]}" \
		"$tmp/tree/tools/testing/ltt/check.sh" "$@"
}

# What is no test is refused before anything is done for it.
no_tests()
{
	local test

	for test in '' nothing lib.sh bench bench.sh types.expected nonsense.py Makefile modules \
		    crowd.c ../ltt/test-filter.sh modules/Makefile kmemleak kcsan 'a b' :1 \
		    test_decode.c; do
		refused "no such test: '${test%:*}'" checks "$test" ||
			refused "$test: only with DEBUG=" checks "$test" || return
	done
	for test in test_decode: test_decode:0 test_decode:x test-filter.sh: filter:-1; do
		refused "$test: invalid case number" checks "$test" || return
	done
	refused "kmemleak:1: kmemleak has no cases" checks DEBUG=1 kmemleak:1 &&
		refused "kcsan: only with DEBUG=kcsan" checks DEBUG=1 kcsan &&
		refused "kmemleak: only with DEBUG=1" checks DEBUG=kcsan kmemleak &&
		refused "no such test: 'nothing'" checks DEBUG=1 WITH='fuzz.sh nothing' &&
		refused "no such test: 'nothing'" checks test_decode nothing
}

a_test()
{
	local output

	output=$(checks "$@" 2>&1)
	[[ $output = setup ]] || { echo "$*: $output"; return 1; }
}

real_tests()
{
	a_test && a_test test_decode test_decode:99 filter test-filter filter:3 test-filter.sh:3 &&
		a_test soak.sh fuzz && a_test DEBUG=1 kmemleak && a_test DEBUG=kcsan kcsan &&
		a_test DEBUG=1 WITH=fuzz.sh
}

# Tests that take long, too: those of user space, and those that say LONG=1. The latter is nothing that
# their machine would have.
long_tests()
(
	# shellcheck disable=SC2034 # those of check.sh do
	here=$tmp/tree/tools/testing/ltt selftests=$tmp/tree/tools/testing/selftests/ltt
	unset LTT_LONG LTT_CASE DEBUG
	eval "$(sed -n '/^\(listed_tests\|wanted_tests\|every_case\|default_kernel\|needs_of\|machine_of\)()/,/^}/p' "$here/check.sh")"
	# shellcheck disable=SC2034
	KVER=$(default_kver)
	user() { env -u MAKEFLAGS -u MAKELEVEL "$@" make -s --no-print-directory -C "$here" list-tests | tr ' ' '\n'; }

	[[ $(wanted_tests) = *test-filter.sh* ]] || return
	sed -i 's/LTT-VM: /&LONG=1 /' "$selftests/test-filter.sh"
	[[ $(needs_of test-filter.sh) = *LONG=1* && $(machine_of "$(needs_of test-filter.sh)") != *LONG* ]] || return
	[[ $(wanted_tests) = *test-types.sh* && $(wanted_tests) != *test-filter.sh* ]] || return
	[[ $(LTT_LONG=1 wanted_tests) = *test-filter.sh* ]] || return
	[[ $(DEBUG=1 wanted_tests) = *test-filter.sh* && $(KVER=other wanted_tests) = *test-filter.sh* ]] || return
	[[ $(DEBUG=kcsan wanted_tests) = *test-filter.sh* && $(DEBUG=kcsan wanted_tests) != *test-types.sh* ]] || return
	[[ $(DEBUG=1 wanted_tests) = *test-types.sh* && $(DEBUG=1 wanted_tests) != *test-tool.sh* ]] || return
	[[ $(user) = *test_format* && $(user) != *test_tree* && $(user LTT_LONG=1) = *test_tree* ]] || return
	a_test filter && a_test test_tree && a_test test_tree:2
)

# Cases that take long run where all do, and where they are asked for.
long_cases()
{
	local script=$tmp/long_cases wanted

	cat > "$script" <<-EOM
		. "$here/unit/ktap.sh"
		run_test --long slow true
		run_test quick true
	EOM
	for wanted in ' 1: # SKIP takes long: set LTT_LONG 2:' 'LTT_LONG=1 1: 2:' 'LTT_ALL_CASES=1 1: 2:' 'LTT_CASE=slow 1: 2: # SKIP not asked for' \
		      'LTT_CASE=1 1: 2: # SKIP not asked for' 'LTT_CASE=quick 1: # SKIP not asked for 2:'; do
		[[ $(env -u LTT_LONG -u LTT_ALL_CASES -u LTT_CASE ${wanted%% *} bash "$script" | sed -E 's/^ok (.) (slow|quick)/\1:/' | xargs) = "${wanted#* }" ]] ||
			{ echo "$wanted"; return 1; }
	done
}

# A case that is not there is not passed.
all_skipped()
{
	local ktap=$'KTAP version 1\n1..1\nok 1 x # SKIP not asked for'

	"$here/ktap-sum" <<< "$ktap" > /dev/null &&
		! "$here/ktap-sum" --some <<< "$ktap" > /dev/null &&
		"$here/ktap-sum" --some <<< "${ktap% #*}" > /dev/null
}

# Who looks at the end of a long log only finds it there.
failures_at_the_end()
{
	local said

	said=$("$here/ktap-sum" <<- 'KTAP'
		KTAP version 1
		1..3
		  KTAP version 1
		  1..2
		  # of the one that passes
		  ok 1 passes
		  # why
		  not ok 2 - fails
		# test_x: 3 s
		not ok 1 test_x
		  KTAP version 1
		  Bail out! ./make: failed
		not ok 2 test_y
		not ok 3 test_z
	KTAP
	) && return 1
	diff <(tail -n 6 <<< "$said") - <<- 'END'
		# failed: test_x: fails
		#   why
		# failed: test_y: Bail out! ./make: failed
		# failed: test_y: no plan after 0 results
		# failed: test_z
		1 passed, 4 failed, 0 skipped
	END
}

# Scripts are found by their first lines, too.
shell_syntax()
(
	local script

	# shellcheck disable=SC2034 # shell_syntax() of check.sh does
	here=$tmp/tree/tools/testing/ltt selftests=$tmp/tree/tools/testing/selftests/ltt
	eval "$(sed -n '/^shell_scripts()/,/^}/p; /^shell_syntax()/,/^}/p' "$here/check.sh")"
	shell_syntax || return
	for script in vm/kernel vm/init debian/lttng demo.sh unit/test_view.sh; do
		cp -p "$here/$script" "$tmp/kept"
		echo 'if' >> "$here/$script"
		! shell_syntax 2> /dev/null || { echo "$script"; return 1; }
		cp -p "$tmp/kept" "$here/$script"
	done
)

# The build directory's path may hold any word, and a test that takes its shells along does
# not keep the others waiting.
killed()
{
	local build=$tmp/TEST/user output

	mkdir -p "$build"
	printf '#!/bin/sh\necho here\n' > "$build/good"
	printf '#!/bin/sh\nsleep 2; kill -9 $(ps -o ppid= -p $PPID) $PPID\n' > "$build/bad"
	chmod +x "$build/good" "$build/bad"
	output=$(env -u MAKEFLAGS -u MAKELEVEL timeout 300 make -s -C "$here" BUILD="$build" \
		TESTS='good bad' check 2>&1)
	[[ $output = *$'\n  here\n'*$'\nok 1 good\n'*'not ok 2 bad # killed'* ]] ||
		{ echo "$output"; return 1; }
}

# The compiler that make is told is not, with what we put before it, told to the tests.
compiler()
{
	local build=$tmp/compiler

	mkdir -p "$build"
	printf '#!/bin/sh\necho "CC=$CC"\n' > "$build/good"
	chmod +x "$build/good"
	[[ $(env -u MAKEFLAGS -u MAKELEVEL CC=gcc make -s -C "$here" BUILD="$build" TESTS=good check 2>&1) = \
	   *$'\n  CC=\n'* ]]
}

stand_ins
# Somebody else must be able to read it.
mkdir -p "$tmp/scripts/debian"
cp "$here/lib.sh" "$tmp/scripts"
cp "$here/debian/setup.sh" "$tmp/scripts/debian"
echo "KTAP version 1"
run_test "make check hands on KVER" hands check.sh check
run_test "make vm does" hands run vm
run_test "make setup knows it" \
	eval '[[ $(said setup.sh setup KVER=7.9.1-amd64) = *" 7.9.1-amd64" ]]'
run_test "make install below a relative directory" relative
run_test "good results, but their command failed" failed_after
run_test "a series is its newest release" series
run_test "a machine that is not Debian" refused "Debian 12 is required" \
	elsewhere 'ID=other\nVERSION_ID=12\n' "$tmp/scripts/debian/setup.sh"
run_test "another release of Debian" refused "Debian 12 is required" \
	elsewhere 'ID=debian\nVERSION_ID=13\n' "$tmp/scripts/debian/setup.sh"
run_test "packages are missing, and sudo" refused "as root, run: apt-get install" \
	lacking "$tmp/scripts/debian/setup.sh"
run_test "a package that only saves time is missing" optional
run_test "LTTng's programs, where they are installed" fetched
tree
run_test "what is no test" no_tests
run_test "what is one" real_tests
run_test "cases that take long" long_cases
run_test "tests that take long" long_tests
run_test "nothing but skipped cases" all_skipped
run_test "what has failed is told again at the end" failures_at_the_end
run_test "scripts whose names do not say so" shell_syntax
run_test "the environment's CC" compiler
run_test "a test of user space that is killed" killed
echo "1..$number"
exit $failed
