# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# Commands of the documentation, and how they are typed. Sourced after lib.sh.

# rst_blocks FILE DIRECTORY: the blocks that are code-block:: sh, as DIRECTORY/01 and so on; what
# they leave in /tmp is removed with $tmp
rst_blocks()
{
	mkdir "$2"
	awk -v dir="$2" '
		/^\.\. code-block:: sh$/ { out = sprintf("%s/%02d", dir, ++n); next }
		/^[^\t]/ { out = "" }
		out && NF { print substr($0, 2) > out }' "$1"
	sed -i "s,/tmp/,$tmp/,g" "$2"/??
}

# type_blocks DIRECTORY: run them in one shell, which stops at the first line that
# fails; what a block prints goes to the file of its name and ".out"
type_blocks()
{
	cat > "$tmp/typist" <<-'EOM'
		set -eE
		trap 'echo "this failed: $BASH_COMMAND" >&2' ERR
		for block; do
			. "$block" > "$block.out"
		done
	EOM
	TMPDIR=$tmp bash "$tmp/typist" "$1"/??
}
