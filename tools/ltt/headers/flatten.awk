# SPDX-License-Identifier: GPL-2.0
#
# usage: awk -f flatten.awk [-v list=1] DIRECTORY HEADER...
#
# Print these headers of LTT (linux/ltt/marker.h) as one file that includes no other one of
# them, each header in the place where it is included first. With list=1 print their names
# instead, and those of all that they include. DIRECTORY has them.

function flatten(name,	file, line, status, inner)
{
	if (name in seen)
		return
	seen[name] = 1
	if (list)
		print name
	file = dir "/" name
	while ((status = (getline line < file)) > 0) {
		inner = line
		if (sub(/^#[ \t]*include[ \t]*<linux\/ltt\//, "linux/ltt/", inner)) {
			sub(/>.*/, "", inner)
			flatten(inner)
		} else if (!list && line !~ /^\/\* SPDX-License-Identifier: /) {
			print line
		}
	}
	if (status < 0) {
		print "flatten.awk: cannot read " file > "/dev/stderr"
		exit 1
	}
	close(file)
}

BEGIN {
	dir = ARGV[1]
	for (i = 2; i < ARGC; i++)
		flatten(ARGV[i])
	exit
}
