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
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
export LTT_CACHE=$tmp/cache
unset FRESH LTT_LONG LTT_CASE CCACHE_DISABLE

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

# Its makefiles name files and directories relative to where they are.
for_kbuild()
{
	ln -s "$here/cached-cc" "$tmp/one/.cc/gcc"
	(cd "$tmp/one" && LTT_CC_TREE=$tmp/one PATH=$tmp:$tmp/one/.cc:$PATH \
		gcc -w -I./ -Wp,-MMD,"$tmp/one/.main.o.d" -c -o "$tmp/one/main.o" "$tmp/one/main.c") &&
		[[ $(xargs < "$tmp/one/.main.o.d") = "$tmp/one/main.o: $tmp/one/main.c $tmp/one/main.h" ]]
}

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

results()
{
	printf '#!/bin/sh\ncd %s\ncat input\ntouch ran\ngrep -q good input\n' "$tmp" > "$tmp/test"
	chmod +x "$tmp/test"
	echo good > "$tmp/input"
	ran && ! ran && grep -qx good "$tmp/output" && grep -q '^# cached' "$tmp/output" &&
		ran FRESH=1 && ran LTT_LONG=1 && ran LTT_CASE=1 &&
		echo 'good, too' > "$tmp/input" && ran && ! ran &&
		echo bad > "$tmp/input" && ran && ran
}

set_up trees
echo "KTAP version 1"
run_test "warnings are shown again" warnings
run_test "the directory does not matter" anywhere
run_test "the directory's name in a path below it" own_name
run_test "a header that changes is noticed" header
run_test "what only sparse sees is noticed, and its warnings are shown again" annotation
run_test "headers are told to kbuild" for_kbuild
run_test "nothing is taken if that is not wanted" without_ccache
run_test "a test that passed, with the same inputs only" results
echo "1..$number"
exit $failed
