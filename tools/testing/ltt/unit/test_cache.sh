#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# usage: test_cache.sh
#
# What is taken from the cache is what would be made anew: warnings are shown again, changes
# are noticed, also those that only sparse sees, and neither the directory's name nor a failure
# stays.
# shellcheck disable=SC2317 # tests are called by name
set -uo pipefail

here=$(cd "$(dirname "$0")/.." && pwd)
top=$(cd "$here/../../.." && pwd)
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
export LTT_CACHE=$tmp/cache
unset FRESH LTT_LONG LTT_CASE LTT_CC_NAMES CC "${!CCACHE_@}"

# shellcheck source=ktap.sh
. "$here/unit/ktap.sh"

# Two trees with the same files; the second is there to be another directory.
trees()
{
	local tree

	for tree in "$tmp/one" "$tmp/another one"; do
		mkdir -p "$tree/.cc"
		ln -s "$here/cached-cc" "$tree/.cc/sparse"
		ln -s "$here/cached-cc" "$tree/.cc/sparse-cc"
		cat > "$tree/main.c" <<-'EOM'
			#include "main.h"
			int main(int argc, char **argv ANNOTATED)
			{
				int unused;
				return argc > RESULT;
			}
		EOM
		printf '%s\n' '#define RESULT 1' '#define ANNOTATED' > "$tree/main.h"
		# ccache does not trust headers that are younger than its own second.
		touch -d '1 minute ago' "$tree"/main.*
	done
}

# hits: how often ccache did not compile
hits()
{
	CCACHE_DIR=$LTT_CACHE/ccache ccache --print-stats | awk '$1 == "direct_cache_hit" { print $2 }'
}

# built TREE: build the program there; prints warnings
built()
{
	LTT_CC_TREE=$1 "$here/cached-cc" gcc -Wall -g -I"$1" -o "$1/main" "$1/main.c" 2>&1
}

# checked TREE: what sparse says, called as kbuild does
checked()
{
	(cd "$tmp" && LTT_CC_TREE=$1 PATH=$tmp:$1/.cc:$PATH \
		sparse -Wp,-MMD,"$1/.main.d" -Wbitwise --arch=x86 -I"$1" "$1/main.c" 2>&1)
}

# again N COMMAND...: its output, for which ccache must have had N results
again()
{
	local wanted=$1 before output

	shift
	before=$(hits)
	output=$("$@") || return
	(($(hits) == before + wanted)) || { echo "$(($(hits) - before)) hits"; return 1; }
	echo "$output"
}

warnings()
{
	[[ $(again 0 built "$tmp/one") = *"unused variable"* ]] &&
		[[ $(again 1 built "$tmp/one") = *"unused variable"* ]]
}

anywhere()
{
	[[ $(again 1 built "$tmp/another one") = *"main.c:4"*"unused variable"* ]] &&
		cmp "$tmp/one/main" "$tmp/another one/main" &&
		! grep -qF "$tmp" "$tmp/one/main"
}

# A tree at /ltt has its own name in tools/testing/ltt/.
own_name()
{
	local inner="$tmp/one/tools$tmp/one"

	mkdir -p "$inner" && cp "$tmp/one"/main.[ch] "$inner" &&
		LTT_CC_TREE=$tmp/one "$here/cached-cc" gcc -w -I"$tmp/one" -o "$inner/main" "$inner/main.c" &&
		"$inner/main" && ! "$inner/main" more && rm -r "$tmp/one/tools"
}

header()
{
	sed -i 's/RESULT 1/RESULT 0/' "$tmp/one/main.h" &&
		touch -d '1 minute ago' "$tmp/one/main.h" &&
		again 0 built "$tmp/one" && ! "$tmp/one/main"
}

# Nothing of it is in what the preprocessor makes for the compiler.
annotation()
{
	[[ ! $(again 0 checked "$tmp/one") && ! $(again 1 checked "$tmp/one") ]] || return
	cat >> "$tmp/one/main.h" <<-'EOM'
		#ifdef __CHECKER__
		#undef ANNOTATED
		#define ANNOTATED , int *(*annotated)(int *__attribute__((noderef)))
		static int *odd(int __attribute__((noderef, address_space(1))) *p) { return p; }
		#endif
	EOM
	touch -d '1 minute ago' "$tmp/one/main.h"
	[[ $(again 0 checked "$tmp/one") = *"different address spaces"* ]] &&
		[[ $(again 1 checked "$tmp/one") = *"different address spaces"* ]] &&
		[[ ! -e $tmp/one/.main.d ]]
}

# Those of the tools want a list of the headers beside the object, also from the cache.
list_of_headers()
{
	local time object=$tmp/one/part.o

	for time in first second; do
		rm -f "$tmp/one"/part.[od]
		LTT_CC_TREE=$tmp/one "$here/cached-cc" gcc -w -I"$tmp/one" -MMD -MP -c -o "$object" \
			"$tmp/one/main.c" &&
			[[ $(head -n 1 "$tmp/one/part.d" | xargs) = "$object: $tmp/one/main.c $tmp/one/main.h" ]] ||
			{ echo "the $time time"; return 1; }
	done
}

# Its makefiles name files and directories relative to where they are.
for_kbuild()
{
	local tree=$tmp/this\#\&that

	cp -r "$tmp/one" "$tree" && ln -s "$here/cached-cc" "$tree/.cc/gcc" &&
		(cd "$tree" && LTT_CC_TREE=$tree PATH=$tmp:$tree/.cc:$PATH \
			gcc -w -I./ -Wp,-MMD,"$tree/.main.o.d" -c -o "$tree/main.o" "$tree/main.c") &&
		[[ $(xargs < "$tree/.main.o.d") = "$tree/main.o: $tree/main.c $tree/main.h" ]]
}

# named TREE: build the program there; headers have these names now
named()
{
	# shellcheck disable=SC2034 # header_names uses it
	LTT_CC_NAMES=$(. "$here/lib.sh"; ltt_root=$1; header_names .) built "$1"
}

# No header that was read has changed.
new_header()
{
	printf '%s\n' '#if __has_include("more.h")' '#include "more.h"' '#endif' >> "$tmp/one/main.h" &&
		touch -d '1 minute ago' "$tmp/one/main.h" &&
		again 0 named "$tmp/one" && again 1 named "$tmp/one" || return
	echo '#warning more' > "$tmp/one/more.h"
	[[ $(again 0 named "$tmp/one") = *"#warning more"* ]] && rm "$tmp/one/more.h" &&
		again 1 named "$tmp/one"
}

# Neither source nor header has changed: the assembler reads the file.
included_by_assembler()
{
	local text source=$tmp/one/text.c

	cat > "$source" <<-'EOM'
		#include <stdio.h>
		asm(".section .rodata\ntext: .incbin \"" TEXT "\"\n.byte 0\n.text");
		extern const char text[];
		int main(void) { return puts(text) < 0; }
	EOM
	touch -d '1 minute ago' "$source"
	for text in first second; do
		printf %s $text > "$tmp/one/text"
		LTT_CC_TREE=$tmp/one "$here/cached-cc" gcc -DTEXT="\"$tmp/one/text\"" -c -o "$tmp/one/text.o" "$source" &&
			gcc -o "$tmp/one/show" "$tmp/one/text.o" && [[ $("$tmp/one/show") = "$text" ]] ||
			{ echo "not the $text text"; return 1; }
	done
}

# A compiler that fails, for a reason that is not known to ccache.
fresh_failure()
{
	mkdir -p "$tmp/bin" &&
		cat > "$tmp/bin/gcc" <<-EOM &&
		#!/bin/sh
		case \$*,\$(ls "$tmp") in
		*' -c '*broken*) exit 1 ;;
		esac
		exec $(type -P gcc) "\$@"
	EOM
		chmod +x "$tmp/bin/gcc" || return
	(
		PATH=$tmp/bin:$PATH
		built "$tmp/one" && again 1 built "$tmp/one" && touch "$tmp/broken" &&
			again 1 built "$tmp/one" && ! FRESH=1 built "$tmp/one" && ! built "$tmp/one"
	)
}

own_settings()
{
	built "$tmp/one" && CCACHE_RECACHE=1 CCACHE_PREFIX=false again 1 built "$tmp/one"
}

# Neither a cache nor a home; the program and the test are still run.
nowhere()
(
	touch "$tmp/file"
	: > "$tmp/wrong"
	for LTT_CACHE in "$tmp/file/cache" ''; do
		export LTT_CACHE
		rm -f "$tmp/one/main"
		env -u HOME XDG_CACHE_HOME="$tmp/file" LTT_CC_TREE="$tmp/one" "$here/cached-cc" gcc -w \
			-I"$tmp/one" -o "$tmp/one/main" "$tmp/one/main.c" && [[ -x $tmp/one/main ]] &&
			ran -u HOME XDG_CACHE_HOME="$tmp/file" && ran -u HOME XDG_CACHE_HOME="$tmp/file" &&
			env -u HOME XDG_CACHE_HOME="$tmp/file" "$here/cached-doc" "$tmp/kernel-doc" "$tmp/input" || return
	done
	env -u HOME -u LTT_CACHE -u XDG_CACHE_HOME bash -uc '. "$1" && [[ $ltt_cache = ?*/.cache/ltt ]]' \
		bash "$here/lib.sh"
)

without_ccache()
{
	built "$tmp/one" && again 1 built "$tmp/one" &&
		CCACHE_DISABLE=1 again 0 built "$tmp/one" && FRESH=1 again 0 built "$tmp/one"
}

# ran [VARIABLE=VALUE...]: did the test run, and not its copy in the cache?
ran()
{
	rm -f "$tmp/ran"
	env "$@" "$here/cached-test" "$tmp/test" "$tmp/input" > "$tmp/output"
	[[ -e $tmp/ran && $(cat "$tmp/output") = "$(cat "$tmp/input")" ]]
}

a_test()
{
	printf '#!/bin/sh\ncd %s\ncat input\ntouch ran\ngrep -q good input\n' "$tmp" > "$tmp/test"
	chmod +x "$tmp/test"
	echo good > "$tmp/input"
}

results()
{
	ran && ! ran && grep -qx good "$tmp/output" && grep -q '^# cached' "$tmp/output" &&
		ran FRESH=1 && ran LTT_LONG=1 && ran LTT_CASE=1 &&
		echo 'good, too' > "$tmp/input" && ran && ! ran &&
		echo bad > "$tmp/input" && ran && ran
}

# fails_now VARIABLE=VALUE: a test that passed before does not any more, in spite of its inputs
fails_now()
{
	a_test
	ran FRESH=1 && ! ran && sed -i 's/grep.*/exit 1/' "$tmp/test" && ! ran && ran "$@" && ran
}

# Kept by a run that was killed, or the file system was full.
cut_short()
{
	local kept

	rm -rf "$LTT_CACHE/results"
	a_test
	ran && ! ran || return
	kept=$(echo "$LTT_CACHE"/results/*)
	: > "$kept" && ran && ! ran && echo good > "$kept" && ran && ! ran &&
		touch -d '31 days ago' "$LTT_CACHE/results/old one" && ran FRESH=1 &&
		[[ $(ls -A "$LTT_CACHE/results") = "${kept##*/}" ]]
}

no_input()
{
	expect 2 "no such input: '$tmp/nothing'" "$here/cached-test" "$tmp/test" "$tmp/nothing"
}

# A copy of what is listed, and of more.
source_tree()
{
	mkdir "$tmp/tree" && (cd "$top" && cp -r --parents Makefile dkms.conf README.md debian include \
		kernel/trace tools Documentation "$tmp/tree")
}

list()
{
	"$tmp/tree/tools/testing/ltt/list-sources" "$1" > "$tmp/$1"
}

# changes LIST COMMAND...: it is another after the command was run in the copy
changes()
{
	local list=$1 before

	shift
	before=$(sha256sum < "$tmp/$list")
	(cd "$tmp/tree" && "$@") && list "$list" || return
	[[ $(sha256sum < "$tmp/$list") != "$before" ]] || { echo "$list is as before: $*"; return 1; }
}

# Changes that do not matter.
others()
{
	touch tools/ltt/cmd/view.c tools/testing/selftests/ltt/test-new.sh &&
		echo >> kernel/trace/ltt-core/main.c &&
		mkdir -p tools/ltt/__pycache__ && touch tools/ltt/__pycache__/new.pyc
}

listed()
{
	local -x PATH=/usr/bin:/bin
	local file new=tools/ltt/cmd/new.c before

	list sources && list pages || return
	for file in tools/ltt/cmd/view.c tools/testing/ltt/unit/test_view.sh include/linux/ltt/packet.h \
		    kernel/trace/ltt-core/format/parse.c tools/testing/selftests/ltt/compare/pairs.awk; do
		changes sources sed -i '$s/$/ /' $file || return
	done
	changes sources touch $new && changes sources mv $new "$new c" && changes sources chmod +x "$new c" &&
		changes sources ln -s view.c $new && changes sources ln -sf text.c $new || return
	LTT_MADE_WITH=clang changes sources true && changes sources true && changes pages true || return
	changes pages touch debian/new && changes pages sed -i '$s/$/ /' Documentation/trace/ltt/testing.rst || return
	before=$(sha256sum < "$tmp/sources")
	(cd "$tmp/tree" && others) && list sources || return
	[[ $(sha256sum < "$tmp/sources") = "$before" ]] || { echo "other files are in the list"; return 1; }
	# Nothing is known of a tree that lacks one of them.
	mv "$tmp/tree/dkms.conf" "$tmp"
	list sources 2> /dev/null && return 1
	mv "$tmp/dkms.conf" "$tmp/tree"
}

# What a list says of files that have changed since, nobody knows.
changed_meanwhile()
{
	local -x PATH=/usr/bin:/bin
	local name run=("$tmp/tree/tools/testing/ltt/cached-test" "$tmp/lister")

	printf '#!/bin/sh\necho so | tee -a %s\n[ ! -e %s ] || echo >> %s\n' "$tmp/ran" "$tmp/edited" \
		"$tmp/tree/tools/ltt/cmd/view.c" > "$tmp/lister"
	chmod +x "$tmp/lister"
	for name in sources pages; do
		: > "$tmp/ran"
		touch "$tmp/edited"
		list $name && "${run[@]}" "$tmp/$name" && rm "$tmp/edited" || return
		"${run[@]}" "$tmp/$name" && "${run[@]}" "$tmp/$name" || return
		[[ $(wc -l < "$tmp/ran") = 3 ]] || { echo "an old $name: $(wc -l < "$tmp/ran")"; return 1; }
		list $name && "${run[@]}" "$tmp/$name" && "${run[@]}" "$tmp/$name" || return
		[[ $(wc -l < "$tmp/ran") = 4 ]] || { echo "$name: $(wc -l < "$tmp/ran")"; return 1; }
	done
}

# The makefile writes the list of now before it runs the test.
by_makefile()
{
	local -x PATH=/usr/bin:/bin
	local build=$tmp/user output n

	mkdir -p "$build"
	for n in 1 2 3 4; do
		printf '#!/bin/sh\necho so\n' > "$build/test_pair"
		chmod +x "$build/test_pair"
		output=$(env -u MAKEFLAGS -u MAKELEVEL make -s -C "$tmp/tree/tools/testing/ltt" BUILD="$build" \
			-o "$build/test_pair" TESTS=test_pair check 2>&1) || { echo "$output"; return 1; }
		case $n,$output in
		[24],*"ok 1 test_pair # cached"*) ;;
		[24],* | *"# cached"*) echo "$n: $output"; return 1 ;;
		esac
		((n != 2)) || echo '/* new */' >> "$tmp/tree/tools/ltt/cmd/view.c"
	done
}

# doc [VARIABLE=VALUE...]: was the script asked?
doc()
{
	rm -f "$tmp/asked"
	env "$@" "$here/cached-doc" "$tmp/kernel-doc" "$tmp/input"
	[[ -e $tmp/asked ]]
}

# It says what is in the file wrong.
comments()
{
	printf '#!/bin/sh\ntouch %s/asked\ncat %s/wrong\n' "$tmp" "$tmp" > "$tmp/kernel-doc"
	chmod +x "$tmp/kernel-doc"
	: > "$tmp/wrong"
	doc && ! doc && doc FRESH=1 && ! doc && echo wrong > "$tmp/wrong" && doc FRESH=1 && doc
}

# with_ccache WHAT COMMAND...: a case of it
with_ccache()
{
	if [[ $(type -P ccache) ]]; then
		run_test "$@"
	else
		echo "ok $((++number)) $1 # SKIP ccache is not installed"
	fi
}

set_up trees
set_up a_test
set_up source_tree
echo "KTAP version 1"
with_ccache "warnings are shown again" warnings
with_ccache "the directory does not matter" anywhere
with_ccache "the directory's name in a path below it" own_name
with_ccache "a header that changes is noticed" header
with_ccache "what only sparse sees is noticed, and its warnings are shown again" annotation
with_ccache "headers are told to kbuild" for_kbuild
with_ccache "headers are told to other makefiles" list_of_headers
with_ccache "nothing is taken if that is not wanted" without_ccache
with_ccache "a new header is noticed" new_header
with_ccache "a file that the assembler includes" included_by_assembler
with_ccache "what fails with FRESH=1 fails afterwards" fresh_failure
with_ccache "the user's settings of ccache" own_settings
run_test "a test that passed, with the same inputs only" results
run_test "a test that fails with FRESH=1 runs afterwards" fails_now FRESH=1
run_test "a test one case of which fails, too" fails_now LTT_CASE=1
run_test "a result that is cut short, and an old one" cut_short
run_test "an input that is missing" no_input
run_test "lists of sources" listed
run_test "a source that changes while a test runs" changed_meanwhile
run_test "the makefile's tests" by_makefile
run_test "comments that were good" comments
run_test "nowhere to keep anything" nowhere
echo "1..$number"
exit $failed
