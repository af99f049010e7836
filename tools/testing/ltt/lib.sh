# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash disable=SC2034 # used where it is sourced
# Sourced by the scripts next to it: where things are, and nothing that acts.

# Where depmod and modprobe are, which Debian's ordinary users do not search.
PATH=$PATH:/usr/sbin:/sbin

ltt_root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../../.." && pwd)

# Whatever is expensive to get (kernel packages, the debug kernel) and the
# same for every checkout.
ltt_cache=${LTT_CACHE:-${XDG_CACHE_HOME:-~/.cache}/ltt}

# keeps DIRECTORY: can this one of the cache, which need not be there yet, be written to?
keeps()
{
	mkdir -p "$ltt_cache/$1" 2> /dev/null && [[ -w $ltt_cache/$1 ]]
}

# header_names DIRECTORY...: a hash of the names of the headers in there. A new one may take
# another's place, or answer __has_include, which ccache does not see.
header_names()
{
	(cd "$ltt_root" && find "$@" -name '*.h' 2> /dev/null) | LC_ALL=C sort | sha256sum | cut -c1-32
}

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
	[[ $pkg ]] || die "cannot determine Debian's default kernel, run 'make setup'"
	echo "${pkg%% *}"
}

# The newest kernel of series $1 that Debian has for this release of its own; that with
# PREEMPT_RT for a series as 6.1-rt.
series_kver()
{
	local series=${1%-rt} flavour=amd64 package pkg

	[[ $1 != *-rt ]] || flavour=rt-amd64
	package=linux-headers-$series-$flavour
	pkg=$(default_kver)
	if [[ $pkg = "$series".* ]]; then
		[[ $flavour != amd64 ]] || { echo "$pkg"; return; }
		package=linux-headers-$flavour
	fi
	pkg=$(apt-cache show --no-all-versions "$package" 2> /dev/null |
		sed -n 's/^Depends: linux-headers-\([^ ,]*\).*/\1/p') || true
	[[ $pkg ]] || die "no kernel of series $1 found: is the security archive in apt's sources?"
	echo "$pkg"
}

# What $1 stands for: a series' newest kernel, Debian's newest one of all, or itself.
kernel_release()
{
	if [[ $1 = newest ]]; then
		"$ltt_root/tools/testing/ltt/debian/unstable"
	elif [[ $1 =~ ^[0-9]+\.[0-9]+(-rt)?$ ]]; then
		series_kver "$1"
	else
		echo "$1"
	fi
}

# The kernels that make check-all looks at besides the default one: the same with PREEMPT_RT,
# that of the series which Debian's security archive carries for its release 12, too, and the
# newest one.
other_kernels()
{
	local default

	default=$(default_kver)
	[[ $default = *-rt-* ]] || sed -E 's/^([0-9]+\.[0-9]+).*/\1-rt/' <<< "$default"
	[[ $default = 6.12.* ]] || echo 6.12
	echo newest
}

# The file that makes apt see Debian's unstable release instead of this machine's, if kernel
# $1 is from there: the value for APT_CONFIG.
kernel_apt()
{
	local dir=$ltt_cache/unstable

	[[ $1 != "$(cat "$dir/release" 2> /dev/null)" ]] || echo "$dir/apt.conf"
}

# The build directory of kernel $1: where it is installed, or where debian/headers puts it.
kernel_headers()
{
	local installed=/lib/modules/$1/build

	if [[ -e $installed ]]; then
		echo "$installed"
	else
		echo "$ltt_cache/linux-headers-$1/build"
	fi
}

# The /usr that came with the headers in $1, if one did (see headers).
own_usr()
{
	local usr=${1%/src/*}

	[[ $usr = /usr || ! -x $usr/bin/make ]] || echo "$usr"
}

# with_usr KDIR COMMAND...: run it with that /usr, if there is one, in place of this machine's;
# everything outside of /usr stays.
with_usr()
{
	local usr as_root=()

	usr=$(own_usr "$1")
	shift
	if [[ ! $usr ]]; then
		"$@"
		return
	fi
	((EUID == 0)) || as_root=(--map-root-user)
	unshare --mount "${as_root[@]}" \
		sh -c 'mount --bind "$0" /usr && PATH=/usr/sbin:/usr/bin exec "$@"' "$usr" "$@"
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

# patch_source SRC OUT PATCH...: a kernel's source with these patches, in directory OUT: links to files
# of SRC, but for what is changed.
patch_source()
{
	local src=$1 out=$2 patch
	shift 2

	rm -rf "$out"
	cp -al "$src" "$out" || return
	for patch; do
		if ! patch -s -d "$out" -p1 < "$patch" >&2; then
			echo "${patch##*/ltt/} does not apply to ${src##*/}" >&2
			return 1
		fi
	done
}

# build_kernel WHAT OUT SUFFIX IMAGE ARGUMENT...: configure and build a kernel and its modules in
# directory OUT, with the options on standard input on top of allnoconfig, and SUFFIX at the end of
# its release. ARGUMENT is for make. Exits with 3, and prints the options on standard error, if
# Kconfig does not take them.
build_kernel()
{
	local what=$1 out=$2 suffix=$3 image=$4 dropped make
	shift 4

	make=(nice -n 19 make -s O="$out" -j"$(nproc)" "$@")
	mkdir -p "$out" || exit
	{ cat && echo "CONFIG_LOCALVERSION=\"$suffix\""; } > "$out/requested.config" || exit
	"${make[@]}" KCONFIG_ALLCONFIG="$out/requested.config" allnoconfig >&2 || exit
	# Kconfig drops silently what it cannot satisfy; a checker that is not there would
	# report nothing for ever.
	if dropped=$(grep '^CONFIG_' "$out/requested.config" | grep -vxFf "$out/.config"); then
		echo "$what: Kconfig dropped" $dropped >&2
		exit 3
	fi
	echo "building $what in $out (a few minutes, once)" >&2
	"${make[@]}" "$image" modules > "$out/build.log" 2>&1 < /dev/null ||
		{ tail -n 40 "$out/build.log" >&2; die "$what: build failed"; }
	touch "$out/complete"
}

# kernel_files NAME PATTERN...: these files of the kernel's source, which no header package has: prints
# the directory of the cache, of that name and the source's, where they are.
kernel_files()
{
	local tarball dir

	tarball=$(printf '%s\n' /usr/src/linux-source-*.tar.xz | sort -V | tail -n 1)
	dir=$ltt_cache/$1-$(basename "$tarball" .tar.xz)
	with_lock "$1" fetch_kernel_files "$tarball" "$dir" "${@:2}" || return
	echo "$dir"
}

fetch_kernel_files()
{
	local tarball=$1 dir=$2
	shift 2

	[[ ! -d $dir ]] || return 0
	[[ -f $tarball ]] || die "the kernel source is missing, run 'make setup'"
	rm -rf "$dir.tmp"
	mkdir "$dir.tmp"
	tar -C "$dir.tmp" --strip-components=1 --wildcards --no-wildcards-match-slash \
		-xf "$tarball" "${@/#/*/}" || return
	mv "$dir.tmp" "$dir"
}

# timed WHAT COMMAND...: run it, and then print how long it took, and how much time of
# processors: "# WHAT: 12 s, 30 CPU s". Its exit status is the command's.
timed()
{
	local TIMEFORMAT='%R %U %S' status=0 what=$1 seconds
	shift
	{
		seconds=$({ time "$@" 2>&4 >&3 3>&- 4>&-; } 2>&1) || status=$?
	} 3>&1 4>&2
	LC_ALL=C awk -v what="$what" '{ printf "# %s: %.0f s, %.0f CPU s\n", what, $1, $2 + $3 }' \
		<<< "${seconds##*$'\n'}"
	return $status
}
