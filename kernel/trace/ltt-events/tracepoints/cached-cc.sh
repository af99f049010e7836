#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# usage: cached-cc.sh KEPT COMPILER ARGUMENT... -c -o OBJECT SOURCE
#
# "Compile" a file that discover.py has made: it has done so itself, and left the object
# in the directory KEPT, whose name stands for all that the object depends on.
set -e

kept=$1
shift
for arg; do
	case $arg in
	-Wp,-MMD,*) depfile=${arg#-Wp,-MMD,} ;;
	esac
	[ "$before" != -o ] || object=$arg
	before=$arg
done
copy=$kept/$(basename "$object")

# Somebody may have tidied up.
[ -s "$copy" ] || exec "$@"
cp "$copy" "$object"
printf '%s: %s\n' "$object" "$before" > "$depfile"
