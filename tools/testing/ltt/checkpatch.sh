#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# usage: checkpatch.sh [FILE...]
#
# Run the kernel's style checker on FILEs (default: all C of the project). What was good the
# last time is not looked at again: names and hashes are in the cache.
set -euo pipefail
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"
cd "$ltt_root"

# It reads two lists from where it lies.
dir=$(kernel_files kernel-style scripts/checkpatch.pl scripts/spelling.txt \
	scripts/const_structs.checkpatch)/scripts
(($#)) || mapfile -t files < <(git ls-files -- '*.c' '*.h' ':!*shim/*' ':!tools/ltt/include/*')
set -- "$@" "${files[@]}"
(($#)) || exit 0
# What does not apply:
ignore=(
	LINUX_VERSION_CODE		# what compat.h is for
	CONSTANT_COMPARISON		# KERNEL_VERSION(...) on the right
	PREFER_DEFINED_ATTRIBUTE_MACRO	# user space, and where they are defined
	VSPRINTF_POINTER_EXTENSION	# %pW is a blob in a marker's format
	MACRO_ARG_REUSE			# of types and names, mostly; the authors
	MACRO_ARG_PRECEDENCE		# of trace_mark() know about values
	COMPLEX_MACRO
	CAMELCASE			# _Generic
	LONG_LINE_STRING		# formats are not split
	EXPORT_SYMBOL			# LIST_HEAD(x) defines x
)
# The script takes the cases of _Generic for labels and bit-fields, and declaring
# macros for functions.
generic=(SPACING INDENTED_LABEL TRAILING_STATEMENTS TRAILING_SEMICOLON NEW_TYPEDEFS VOLATILE
	 MULTISTATEMENT_MACRO_USE_DO_WHILE SINGLE_STATEMENT_DO_WHILE_MACRO LINE_SPACING)

# checkpatch TYPES FILE...: with those types ignored.
checkpatch()
{
	local types=$1
	shift
	(($# == 0)) ||
		perl "$dir/checkpatch.pl" --no-tree --strict --terse --show-types --quiet \
			--no-summary --max-line-length=100 --ignore "${types// /,}" -f "$@"
}

# Name and hash of the files, behind the hash of what checks them.
known=$ltt_cache/checkpatch-good
hashes=$(sha256sum -- "$@")
rules=$(cat tools/testing/ltt/checkpatch.sh "$dir"/* | sha256sum | cut -c1-16)
declare -A good=()
[[ ! ${FRESH:-} ]] || rm -f "$known"
[[ ! -f $known ]] || while read -r line; do good[$line]=1; done < "$known"
new=()
with_generic=()
others=()
while read -r hash file; do
	line="$rules $hash $file"
	[[ ! ${good[$line]:-} ]] || continue
	new+=("$line")
	# Nor are the macros of trace events' headers statements.
	if grep -q '\<_Generic(' "$file" ||
	   [[ $file = kernel/trace/ltt-events/tracepoints/@(*/*|preamble.h) ]]; then
		with_generic+=("$file")
	else
		others+=("$file")
	fi
done <<< "$hashes"
status=0
checkpatch "${ignore[*]}" "${others[@]}" || status=1
checkpatch "${ignore[*]} ${generic[*]}" "${with_generic[@]}" || status=1
((status == 0)) || exit
((${#new[@]} == 0)) || printf '%s\n' "${new[@]}" >> "$known"
