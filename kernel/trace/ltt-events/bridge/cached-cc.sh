#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# usage: cached-cc.sh KEPT COMPILER ARGUMENT... -c -o OBJECT SOURCE
#
# Compile a file that discover.py has made, or copy the object from the directory KEPT,
# where discover.py keeps its result, if it was compiled there before with the same
# flags. What is compiled does not depend on anything else that the name of that
# directory does not stand for.
set -e

kept=$1
shift

# Paths differ between build directories, and warnings are off.
flags=$(printf '%s\n' "$@" | grep -v -e '^-W' -e '^-I' -e '^/' -e '^-D.*KBUILD' | sha256sum)
for arg; do
	case $arg in
	-Wp,-MMD,*) depfile=${arg#-Wp,-MMD,} ;;
	esac
	[ "$before" != -o ] || object=$arg
	before=$arg
done
source=$before
copy=$kept/$(basename "$object" .o)-$(echo "$flags" | cut -c1-16).o

if [ -s "$copy" ]; then
	cp "$copy" "$object"
	printf '%s: %s\n' "$object" "$source" > "$depfile"
	exit 0
fi
"$@"
[ -d "$kept" ] || exit 0
# Another build may be at it.
cp "$object" "$copy.$$"
mv "$copy.$$" "$copy"
