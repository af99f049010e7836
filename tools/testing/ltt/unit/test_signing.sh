#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# usage: test_signing.sh
#
# The commands of Documentation/trace/ltt/signing.rst: what they sign is what OpenSSL believes,
# with the headers of Debian's default kernel.
# shellcheck disable=SC2317 # tests are called by name
set -uo pipefail

here=$(cd "$(dirname "$0")/.." && pwd)
top=$(cd "$here/../../.." && pwd)
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

# shellcheck source=ktap.sh
. "$here/unit/ktap.sh"
# shellcheck source=../lib.sh
. "$here/lib.sh"
# shellcheck source=../../selftests/ltt/lib/typing.sh
. "$here/../selftests/ltt/lib/typing.sh"

module=kernel/trace/ltt-core/ltt-core.ko
signed=$tmp/tree/build/$(default_kver)/$module

# All of a module that matters.
make_object()
{
	echo '__attribute__((section(".modinfo"))) char license[] = "license=GPL";' |
		${CC:-cc} -x c -c -o "$tmp/object" -
}

# The kernel is not that of this machine, and a module need not be one to be signed.
type_page()
{
	local kver kdir

	kver=$(default_kver) kdir=$(kernel_headers "$(default_kver)") || return
	mkdir -p "$tmp/tree/build/$kver/${module%/*}" "$tmp/tree/build/$kver/samples"
	cp "$tmp/object" "$tmp/tree/build/$kver/$module"
	cp "$tmp/object" "$tmp/tree/build/$kver/samples/ltt-sample.ko"
	rst_blocks "$top/Documentation/trace/ltt/signing.rst" "$tmp/typed"
	sed -i "s,/lib/modules/\$(uname -r)/build,$kdir,; s/\$(uname -r)/$kver/" "$tmp/typed"/*
	(cd "$tmp/tree" && type_blocks "$tmp/typed") || return
	[[ $(stat -c %a "$tmp/tree/MOK.priv") = 600 ]]
}

signer()
{
	[[ $(cat "$tmp/typed/02.out") = 'modules of this machine' ]] &&
		[[ $(modinfo -F sig_hashalgo "$signed") = sha256 ]] || return
	# Others are not ours to sign.
	cmp "$tmp/object" "${signed%/kernel/*}/samples/ltt-sample.ko"
}

# take_apart FILE: a signed module is its contents, a PKCS#7 message, struct module_signature
# whose last word is the message's length, and a line
take_apart()
{
	python3 - "$1" "$tmp/contents" "$tmp/message" <<-'EOM'
		import struct, sys
		data = open(sys.argv[1], "rb").read()
		magic = b"~Module signature appended~\n"
		assert data.endswith(magic)
		data = data[:-len(magic)]
		size = struct.unpack(">I", data[-4:])[0]
		open(sys.argv[2], "wb").write(data[:-12 - size])
		open(sys.argv[3], "wb").write(data[-12 - size:-12])
	EOM
}

believed()
{
	openssl x509 -inform DER -in "$tmp/tree/MOK.der" -out "$tmp/MOK.pem" &&
	openssl cms -verify -binary -inform DER -in "$tmp/message" -content "$tmp/contents" \
		-certfile "$tmp/MOK.pem" -CAfile "$tmp/MOK.pem" -purpose any -out "$tmp/out"
}

verified()
{
	take_apart "$signed" && cmp "$tmp/contents" "$tmp/object" && believed || return
	# A single byte.
	printf x | dd of="$tmp/contents" bs=1 seek=100 conv=notrunc status=none
	! believed 2> /dev/null
}

set_up make_object
echo "KTAP version 1"
set_up type_page
run_test "the module says who has signed it" signer
run_test "OpenSSL agrees, and not if anything was changed" verified
echo "1..$number"
exit $failed
