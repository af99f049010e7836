#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# usage: smp.sh
#
# stress-64cpus.sh in user-mode Linux with 64 CPUs, as KTAP. Where the kernel's source is not
# available or too new for us, or the machine is too small, it is skipped.
set -euo pipefail
# shellcheck source=../lib.sh
. "$(dirname "$0")/../lib.sh"

here=$ltt_root/tools/testing/ltt
selftests=$ltt_root/tools/testing/selftests/ltt

skip()
{
	printf 'KTAP version 1\n1..1\nok 1 stress-64cpus # SKIP %s\n' "$*"
	exit 0
}

(($(awk '/^MemAvailable:/ { print int($2 / 1048576) }' /proc/meminfo) >= 8)) ||
	skip "8 GiB of memory are not free"
status=0
tree=$("$here/uml/kernel" smp) || status=$?
((status != 4)) || skip "Debian's newest kernel cannot be used, see above"
((!status)) || exit $status
MODULE_TREE=1 "$here/build.sh" "$tree" ARCH=um -s >&2
make -s -C "$ltt_root" tools >&2
make -s -C "$selftests" "OUTPUT=$ltt_root/build/selftests" all >&2
UML_SMP=64 MEM=6G TIMEOUT=1800 "$here/uml/run" \
	"PATH=$ltt_root/build/selftests:\$PATH $selftests/stress-64cpus.sh"
