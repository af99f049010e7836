# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash disable=SC2034 # used where it is sourced
# Sourced by the scripts next to it: where things are, and nothing that acts.

ltt_root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../../.." && pwd)

# Whatever is expensive to get (kernel packages, the debug kernel) and the
# same for every checkout.
ltt_cache=${LTT_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/ltt}

die()
{
	echo "${0##*/}: $*" >&2
	exit 2
}

# The release Debian's linux-image-amd64 stands for. Installed headers win, so
# that modules and image agree although the archive may have moved on.
default_kver()
{
	local pkg=''

	pkg=$(dpkg-query -W -f='${Depends}' linux-headers-amd64 2>/dev/null ||
	      apt-cache show --no-all-versions linux-headers-amd64 |
	      sed -n 's/^Depends: //p') || true
	pkg=${pkg#linux-headers-}
	[[ $pkg ]] || die "cannot tell the default kernel: run 'make setup'"
	echo "${pkg%% *}"
}

# The newest kernel that Debian has for this release of its own, which make check-all
# looks at besides the default one. Only the series is written down, here.
newest_series=6.12
newest_kver()
{
	local pkg

	pkg=$(default_kver)
	[[ $pkg != "$newest_series".* ]] || { echo "$pkg"; return; }
	pkg=$(apt-cache show --no-all-versions "linux-headers-$newest_series-amd64" \
		2> /dev/null | sed -n 's/^Depends: linux-headers-\([^ ,]*\).*/\1/p') || true
	[[ $pkg ]] || die "no kernel of series $newest_series: does apt know the security archive?"
	echo "$pkg"
}

# The build directory of kernel $1: where it is installed, or where ./headers puts it.
kernel_headers()
{
	local installed=/lib/modules/$1/build

	if [[ -e $installed ]]; then
		echo "$installed"
	else
		echo "$ltt_cache/linux-headers-$1/build"
	fi
}

# Run "$@" with the lock NAME of the cache held: parallel runs wait for one
# download or build instead of doing it twice.
with_lock()
{
	local name=$1
	shift
	mkdir -p "$ltt_cache"
	(
		flock 9
		"$@"
	) 9>"$ltt_cache/$name.lock"
}
