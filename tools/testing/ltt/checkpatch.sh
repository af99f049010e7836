#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# usage: checkpatch.sh [FILE...]
#
# Run the kernel's style checker on FILEs (default: all C of the project).
set -euo pipefail
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"
cd "$ltt_root"

# No header package has the script. It reads two lists from where it lies.
tarball=$(printf '%s\n' /usr/src/linux-source-*.tar.xz | sort -V | tail -n 1)
dir=$ltt_cache/checkpatch-$(basename "$tarball" .tar.xz)

fetch()
{
	[[ -d $dir ]] && return
	[[ -f $tarball ]] || die "no kernel source: run 'make setup'"
	rm -rf "$dir.tmp"
	mkdir "$dir.tmp"
	tar -C "$dir.tmp" --strip-components=2 --wildcards -xf "$tarball" \
		'*/scripts/checkpatch.pl' '*/scripts/spelling.txt' \
		'*/scripts/const_structs.checkpatch'
	mv "$dir.tmp" "$dir"
}

with_lock checkpatch fetch
(($#)) || mapfile -t files < <(git ls-files -- '*.c' '*.h')
set -- "$@" "${files[@]}"
(($#)) || exit 0
# %pW is a blob in a marker's format; version checks are what compat.h is for.
perl "$dir/checkpatch.pl" --no-tree --strict --terse --show-types --quiet \
	--ignore VSPRINTF_POINTER_EXTENSION,LINUX_VERSION_CODE --no-summary --max-line-length=100 -f "$@"
