# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# Sourced after lib.sh, to see another release of Debian than this machine's.

# Where this machine gets its packages of Debian from.
apt_archive()
{
	local codename

	codename=$(. /etc/os-release && echo "${VERSION_CODENAME:-unstable}")
	apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' Origin:\ Debian \
		"Codename: $codename" | head -n 1
}

# apt_configure DIRECTORY RELEASE: DIRECTORY/apt.conf, for APT_CONFIG: this release, on a machine on
# which nothing is installed, apart from its own lists
apt_configure()
{
	local dir=$1 uri

	uri=$(apt_archive)
	[[ $uri ]] || die "cannot determine which Debian archive apt uses, run apt-get update"
	mkdir -p "$dir/lists/partial" "$dir/archives/partial"
	echo "deb $uri $2 main" > "$dir/sources"
	cat > "$dir/apt.conf" <<-EOF
		Dir::State "$dir";
		Dir::State::status "/dev/null";
		Dir::Cache "$dir";
		Dir::Etc::sourcelist "$dir/sources";
		Dir::Etc::sourceparts "/dev/null";
		APT::Sandbox::User "";
		APT::Install-Recommends "false";
	EOF
}
