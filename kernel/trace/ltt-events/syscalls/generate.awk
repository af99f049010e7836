#!/usr/bin/awk -f
# SPDX-License-Identifier: GPL-2.0
#
# usage: generate.awk show.map source.i
#
# Make tables of the system calls of the kernel that is built for: their numbers and
# names, what they take, and the names that show.map selects. Only words are moved
# around here; what they are worth, the compiler finds out.
#
# source.i is source.c, preprocessed with -dD.

function warn(text)
{
	print "generate.awk: " text > "/dev/stderr"
	failed = 1
}

function trim(text)
{
	gsub(/[ \t]+/, " ", text)
	sub(/^ /, "", text)
	sub(/ $/, "", text)
	return text
}

BEGIN {
	nr_rules = nr_errnos = nr_calls = nr_protos = nr_params = nr_scalars = 0
}

# ---- show.map

FILENAME == ARGV[1] {
	if ($0 ~ /^(#.*)?$/)
		next
	if (NF < 3 || $3 !~ /^(dec|hex|oct|int|str|enum|flags|both)$/) {
		warn(FILENAME ":" FNR ": expected CALLS ARGUMENTS HOW [NAMES...]")
		next
	}
	rule_calls[nr_rules] = $1
	rule_args[nr_rules] = $2
	rule_how[nr_rules] = $3
	rule_names[nr_rules] = ""
	for (i = 4; i <= NF; i++)
		rule_names[nr_rules] = rule_names[nr_rules] " " $i
	nr_rules++
	next
}

# ---- macros

/^# [0-9]+ "/ {
	file = $3
	next
}

# Buckets, as there are many.
function remember(name)
{
	if (name !~ /^[A-Z_][A-Z0-9_]+$/ || name in known)
		return
	known[name] = 1
	bucket[substr(name, 1, 2)] = bucket[substr(name, 1, 2)] " " name
}

function number_of(abi, name, value)
{
	if (value !~ /[0-9]+\)?$/ || name == "syscalls" || name ~ /^syscall_max/)
		return
	sub(/\)$/, "", value)
	sub(/^.*[^0-9]/, "", value)
	if (!((abi, value) in nr_name))
		nr_name[abi, value] = name
}

# In capitals are numbers of other things.
/^#define __NR_[a-z0-9_]+ / {
	name = substr($2, 6)
	value = $0
	sub(/^#define [A-Za-z0-9_]+ */, "", value)
	if (sub(/^ia32_/, "", name))
		number_of("compat", name, value)
	else if (sub(/^x32_/, "", name))
		number_of("x32", name, value)
	else
		number_of("native", name, value)
	next
}

/^#define [A-Z_][A-Z0-9_]+ / {
	value = $0
	sub(/^#define [A-Z0-9_]+ */, "", value)
	if (file ~ /\/errno(-base)?\.h"$/ && $2 ~ /^E/ && !($2 in is_errno)) {
		is_errno[$2] = 1
		errnos[nr_errnos++] = $2
	}
	if (value ~ /^[A-Za-z0-9_()|<>+&~ -]+$/)
		remember($2)
	next
}

/^#undef / {
	delete known[$2]
	next
}

/^#/ {
	next
}

# ---- declarations

$1 == "ltt_call" {
	call_abi[nr_calls] = $2
	call_nr[nr_calls] = $3
	call_sym[nr_calls] = $4
	nr_calls++
	next
}

function enumerators(text,	body, list, n, i, name)
{
	while (match(text, /enum [A-Za-z0-9_ ]*\{[^}]*\}/)) {
		body = substr(text, RSTART, RLENGTH - 1)
		text = substr(text, RSTART + RLENGTH)
		sub(/^[^{]*\{/, "", body)
		n = split(body, list, ",")
		for (i = 1; i <= n; i++) {
			name = trim(list[i])
			sub(/[^A-Za-z0-9_].*$/, "", name)
			remember(name)
		}
	}
}

function prototype(text,	sym)
{
	while (match(text, /__attribute__ ?\(\([^()]*(\([^()]*\)[^()]*)*\)\)/))
		text = substr(text, 1, RSTART - 1) " " substr(text, RSTART + RLENGTH)
	text = trim(text)
	if (!match(text, /(^|[ }])long (compat_)?sys_[a-z0-9_]+ ?\([^()]*\)$/))
		return
	text = substr(text, RSTART)
	sub(/^.?long /, "", text)
	sym = text
	sub(/ ?\(.*$/, "", sym)
	sub(/^[^(]*\(/, "", text)
	sub(/\)$/, "", text)
	text = trim(text)
	proto[sym] = text == "void" ? "" : text
}

{
	statement = statement " " $0
	if ($0 !~ /;/)
		next
	while ((i = index(statement, ";"))) {
		part = substr(statement, 1, i - 1)
		statement = substr(statement, i + 1)
		if (part ~ /enum/)
			enumerators(part)
		if (part ~ /sys_/)
			prototype(part)
	}
}

# ---- tables

function is_type_word(word)
{
	return word ~ /^(const|struct|enum|union|unsigned|signed|void|char|short|int|long|\*)$/
}

# The kernel's types are visible where the tables are compiled; those of an enumeration
# may be incomplete.
function put_param(text,	word, n, name, type, i)
{
	sub(/\[.*\]$/, "", text) && text = "*" text
	gsub(/\*/, " * ", text)
	n = split(trim(text), word, " ")
	name = ""
	if (n > 1 && !is_type_word(word[n]) && !(n == 2 && word[1] ~ /^(const|struct|enum|union)$/))
		name = word[n--]
	type = word[1]
	for (i = 2; i <= n; i++)
		type = type " " word[i]
	name = name == "" ? "NULL" : "\"" name "\""
	if (type ~ /^(const )?(unsigned )?char \*$/) {
		print "\tPARAM_STR(" name "),"
	} else if (type ~ /\*/) {
		print "\tPARAM_PTR(" name "),"
	} else {
		if (type ~ /^enum /)
			type = "unsigned int"
		print "\tPARAM_INT(" type ", " name "),"
		if (!(type in is_scalar)) {
			is_scalar[type] = 1
			scalars[nr_scalars++] = type
		}
	}
}

function put_proto(sym,	list, n, i)
{
	if (!(sym in proto) || sym in index_of)
		return
	index_of[sym] = nr_protos
	proto_sym[nr_protos] = sym
	proto_first[nr_protos] = nr_params
	n = split(proto[sym], list, ",")
	for (i = 1; i <= n; i++)
		put_param(list[i])
	proto_nr[nr_protos++] = n
	nr_params += n
}

function put_calls(abi,	i, nr, name)
{
	print "\nconst struct ltt_sys_entry ltt_sys_" abi "[] = {"
	for (i = 0; i < nr_calls; i++) {
		if (call_abi[i] != abi)
			continue
		nr = call_nr[i]
		name = nr_name[abi, nr]
		if (name == "" && abi == "x32")
			name = nr_name["native", nr]
		if (name == "") {
			if (call_sym[i] == "sys_ni_syscall")
				continue
			name = call_sym[i]
			sub(/^(compat_)?sys_/, "", name)
		}
		print "\t{ " nr ", \"" name "\", \"" call_sym[i] "\" },"
	}
	print "};\n"
	print "const unsigned int ltt_sys_nr_" abi " = ARRAY_SIZE(ltt_sys_" abi ");"
}

# Names that the regular expressions in @words select, in @found; returns how many.
function select(words, found,	word, n, i, j, m, prefix, list, nr, seen, name, good)
{
	nr = 0
	n = split(words, word, " ")
	for (i = 1; i <= n; i++) {
		if (word[i] ~ /^!/)
			continue
		prefix = substr(word[i], 1, 2)
		if (prefix !~ /^[A-Z_][A-Z0-9_]$/) {
			warn("show.map: " word[i] " must begin with two plain characters")
			continue
		}
		m = split(bucket[prefix], list, " ")
		for (j = 1; j <= m; j++) {
			name = list[j]
			if (!(name in known) || name in seen || name !~ ("^(" word[i] ")$"))
				continue
			seen[name] = 1
			found[nr++] = name
		}
	}
	good = 0
	for (j = 0; j < nr; j++) {
		for (i = 1; i <= n; i++) {
			if (word[i] ~ /^!/ && found[j] ~ ("^(" substr(word[i], 2) ")$"))
				break
		}
		if (i > n)
			found[good++] = found[j]
	}
	return good
}

# Several globs: one row for each pair.
function put_rule(i,	calls, args, n, m, j, k, syms)
{
	syms = rule_syms[i] ? "syms_" i ", ARRAY_SIZE(syms_" i ")" : "NULL, 0"
	n = split(rule_calls[i], calls, ",")
	m = split(rule_args[i], args, ",")
	for (j = 1; j <= n; j++) {
		for (k = 1; k <= m; k++)
			print "\t{ \"" calls[j] "\", \"" args[k] "\", LTT_SYS_" \
			      toupper(rule_how[i]) ", " syms " },"
	}
}

function put_syms(i,	part, found, flags, n, m, j, k)
{
	split(rule_names[i], part, / [+] /)
	n = select(part[1], found)
	rule_syms[i] = n
	if (!n)
		return
	print "\nstatic const struct ltt_sys_sym syms_" i "[] = {"
	for (j = 0; j < n; j++)
		print "\tSYM(\"" found[j] "\", " found[j] "),"
	if (rule_how[i] == "both") {
		m = select(part[2], flags)
		for (j = 0; j < n; j++) {
			for (k = 0; k < m; k++)
				print "\tSYM(\"" found[j] "+" flags[k] "\", " \
				      found[j] " | " flags[k] "),"
			# Two flags are all that there have been.
			if (m == 2)
				print "\tSYM(\"" found[j] "+" flags[0] "+" flags[1] "\", " \
				      found[j] " | " flags[0] " | " flags[1] "),"
		}
	}
	print "};"
}

END {
	if (!nr_calls || !nr_errnos)
		warn("no system calls or no error numbers in " ARGV[2])
	if (failed)
		exit 1

	print "/* Made by generate.awk. */\n"
	print "static const struct ltt_sys_param params[] = {"
	for (i = 0; i < nr_calls; i++) {
		put_proto(call_sym[i])
		# Its twin may have names where it has none.
		if (sub(/^compat_/, "", call_sym[i])) {
			put_proto(call_sym[i])
			call_sym[i] = "compat_" call_sym[i]
		}
	}
	print "};\n\nconst struct ltt_sys_proto ltt_sys_protos[] = {"
	for (i = 0; i < nr_protos; i++)
		print "\t{ \"" proto_sym[i] "\", " proto_nr[i] ", params + " proto_first[i] " },"
	print "};\n\nconst unsigned int ltt_sys_nr_protos = ARRAY_SIZE(ltt_sys_protos);"

	print "\nconst struct ltt_sys_type ltt_sys_types[] = {"
	for (i = 0; i < nr_scalars; i++)
		print "\t{ \"" scalars[i] "\", INT_TYPE(" scalars[i] ") },"
	print "};\n\nconst unsigned int ltt_sys_nr_types = ARRAY_SIZE(ltt_sys_types);"

	put_calls("native")
	put_calls("compat")
	put_calls("x32")

	print "\nconst struct ltt_sys_sym ltt_sys_errnos[] = {"
	for (i = 0; i < nr_errnos; i++)
		print "\tSYM(\"" errnos[i] "\", -" errnos[i] "),"
	print "};\n\nconst unsigned int ltt_sys_nr_errnos = ARRAY_SIZE(ltt_sys_errnos);"

	for (i = 0; i < nr_rules; i++)
		put_syms(i)
	print "\nconst struct ltt_sys_rule ltt_sys_rules[] = {"
	for (i = 0; i < nr_rules; i++)
		put_rule(i)
	print "};\n\nconst unsigned int ltt_sys_nr_rules = ARRAY_SIZE(ltt_sys_rules);"
	if (failed)
		exit 1
}
