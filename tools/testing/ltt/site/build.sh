#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# usage: site/build.sh DIRECTORY [BENCH.JSON]
#
# Documentation/trace/ltt as HTML, in the new or old DIRECTORY; Sphinx's warnings are errors. Also in
# there is what a kernel's own documentation has: the comments of functions, and the files that are
# in Documentation/ABI. With the figures of `make bench`, plots of them.
set -euo pipefail
# shellcheck source=../lib.sh
. "$(dirname "$0")/../lib.sh"

here=$ltt_root/tools/testing/ltt/site
(($# == 1 || $# == 2)) || die "usage: $0 DIRECTORY [BENCH.JSON]"
[[ $(type -P sphinx-build) ]] || die "sphinx-build is missing, run 'make setup'"
KERNEL=$(kernel_files htmldocs scripts/kernel-doc scripts/get_abi.pl 'Documentation/sphinx/*.py')
export KERNEL PYTHONDONTWRITEBYTECODE=1

mkdir -p "$1"
sources=$(mktemp -d)
trap 'rm -rf "$sources"' EXIT
"$here/sources.py" "$sources" "$KERNEL" "${@:2}"
rm -rf "$1"
sphinx-build -q -n -W --keep-going -t site -c "$ltt_root/tools/ltt/man" -d "$sources/.doctrees" \
	-b html "$sources" "$1"
