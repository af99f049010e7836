# SPDX-License-Identifier: GPL-2.0
# usage: awk -v begin=NAME -v end=NAME -v a=FIELD -v b=FIELD [-v own=1] [-v rule=RULE] [-v c=FIELD]
#
# What `ltt pair` shows, out of the lines of `ltt view` or `ltt text`: the key is in column a of
# the begin and b of the end, with own=1 also the CPU; each value of column c of the begin is a
# group. The rules are those of --again. Bars and doubts are left out.
function drop(cpu, k, i) { for (k in depth) if (!own || on[k] == cpu) { lost += depth[k]; delete depth[k] } }
/^# lost/ && ($8 == "shared" || index(begin, $8 ".") == 1 || index(end, $8 ".") == 1) { drop("[" sprintf("%03d", $6) "]") }
/^#/ { next }
{ split($1, t, "."); now = t[1] * 1000000000 + t[2]; name = substr($3, 1, length($3) - 1) }
name == end { ends++; k = $b (own ? $2 : ""); if (depth[k] > 0) count(now - at[k, depth[k]], of[k, depth[k]--]); else unmatched++ }
name == begin {
	begins++; k = $a (own ? $2 : ""); on[k] = $2
	if (depth[k] > 0 && rule != "nest") { again++; if (rule == "first") next; depth[k] = 0 }
	at[k, ++depth[k]] = now; of[k, depth[k]] = c ? $c : ""
}
function count(d, g, p) {
	for (p = 0; 2 ^ p <= d; p++) ;
	pairs++; h[g, p]++; nr[g]++; sum[g] += d
	if (!(g in least) || d < least[g]) least[g] = d
	if (d > most[g]) most[g] = d
}
END {
	for (g in nr) {
		printf "pairs %d min %.0f avg %.0f max %.0f total %.0f ns%s\n", nr[g], least[g], int(sum[g] / nr[g]), most[g], sum[g], g == "" ? "" : " " g
		for (p = 0; p <= 64; p++)
			if (h[g, p]) printf "%s%.0f %.0f %d\n", g == "" ? "" : g " ", p ? 2 ^ (p - 1) : 0, p ? 2 ^ p - 1 : 0, h[g, p]
	}
	for (k in depth) open += depth[k]
	printf "# begins %d ends %d pairs %d again %d unmatched %d open %d lost %d\n", begins, ends, pairs, again, unmatched, open, lost
}
