#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""usage: lkmm.py FILE.litmus...

Litmus tests under the Linux kernel's memory model: all executions of each small program
are made, and the model says which of them can be. What the file says must come out
("Result: Never"), and no data race; with each labelled line weakened in turn, what is
forbidden must happen, or a data race. Prints KTAP.

Model: tools/memory-model/linux-kernel.cat of Linux 6.1, which herd7 reads; here are its
relations under its names, without what the tests do not use (locks, SRCU, fences
around atomic operations). The tests are files for herd7 all the same.
"""
import itertools
import sys

from litmus import Litmus, Unsupported

# ---- relations over events 0 .. n-1, as lists of bit sets ------------------------


class Algebra:
    def __init__(self, n):
        self.n = n
        self.all = range(n)
        self.none = [0] * n
        self.id = [1 << i for i in self.all]

    def of(self, pairs):
        rel = [0] * self.n
        for a, b in pairs:
            rel[a] |= 1 << b
        return rel

    def only(self, keep):
        """[S]: the identity on those events."""
        return [1 << i if keep(i) else 0 for i in self.all]

    def seq(self, *rels):
        result = rels[0]
        for rel in rels[1:]:
            result = [self.image(row, rel) for row in result]
        return result

    def image(self, row, rel):
        out = 0
        while row:
            low = row & -row
            out |= rel[low.bit_length() - 1]
            row ^= low
        return out

    def union(self, *rels):
        return [self.fold(rows) for rows in zip(*rels)]

    @staticmethod
    def fold(rows):
        out = 0
        for row in rows:
            out |= row
        return out

    def both(self, a, b):
        return [x & y for x, y in zip(a, b)]

    def minus(self, a, b):
        return [x & ~y for x, y in zip(a, b)]

    def maybe(self, rel):
        return self.union(rel, self.id)

    def inverse(self, rel):
        return self.of((b, a) for a in self.all for b in self.all if rel[a] >> b & 1)

    def star(self, rel):
        rel = self.maybe(rel)
        while True:
            more = self.seq(rel, rel)
            if more == rel:
                return rel
            rel = more

    def acyclic(self, rel):
        return self.irreflexive(self.seq(rel, self.star(rel)))

    def irreflexive(self, rel):
        return not any(rel[i] >> i & 1 for i in self.all)


# ---- the model --------------------------------------------------------------------

class Execution:
    """Events with rf and co; what the model says of them."""

    def __init__(self, events, rf, co):
        self.events = events
        self.a = Algebra(len(events))
        self.rf = self.a.of(rf)
        self.co = self.a.of(co)

    def check(self):
        """Return: None if it cannot be, else whether it has a data race."""
        a, e = self.a, self.events
        n = a.all

        def kind(*kinds):
            return a.only(lambda i: e[i].kind in kinds)

        def tagged(*tags):
            return a.only(lambda i: e[i].tag in tags)

        def pairs(test):
            return a.of((i, j) for i in n for j in n if test(e[i], e[j]))

        r, w, m = kind('R'), kind('W'), kind('R', 'W')
        po = pairs(lambda x, y: x.thread == y.thread >= 0 and x.index < y.index)
        ext = pairs(lambda x, y: x.thread != y.thread)
        internal = pairs(lambda x, y: x.thread == y.thread)
        loc = pairs(lambda x, y: x.loc is not None and x.loc == y.loc)
        rmw = pairs(lambda x, y: y.rmw is x)
        addr = pairs(lambda x, y: x in y.addr)
        data = pairs(lambda x, y: x in y.data)
        ctrl = pairs(lambda x, y: x in y.ctrl)
        rf, co = self.rf, self.co
        fr = a.minus(a.seq(a.inverse(rf), co), a.id)
        rfe, rfi = a.both(rf, ext), a.both(rf, internal)
        marked = a.only(lambda i: e[i].tag != 'plain')
        plain = tagged('plain')

        # coherence, atomic
        if not a.acyclic(a.union(a.both(po, loc), rf, co, fr)):
            return None
        if any(a.both(rmw, a.seq(a.both(fr, ext), a.both(co, ext)))):
            return None

        def fencerel(tag):
            return a.seq(po, tagged(tag), po)

        # Release Acquire, fences
        acq_po = a.seq(tagged('acquire'), po, m)
        po_rel = a.seq(m, po, tagged('release'))
        rmb = a.seq(r, fencerel('rmb'), r)
        wmb = a.seq(w, fencerel('wmb'), w)
        mb = a.seq(m, fencerel('mb'), m)
        gp = a.seq(po, tagged('sync-rcu'), a.maybe(po))
        strong_fence = a.union(mb, gp)
        nonrw_fence = a.union(strong_fence, po_rel, acq_po)
        fence = a.union(nonrw_fence, wmb, rmb)

        # Preserved program order
        dep = a.union(addr, data)
        rwdep = a.seq(a.union(dep, ctrl), w)
        overwrite = a.union(co, fr)
        to_w = a.union(rwdep, a.both(overwrite, internal), a.seq(addr, plain, wmb))
        to_r = a.union(addr, a.seq(dep, marked, rfi))
        ppo = a.union(to_r, to_w, fence)

        # Propagation, happens before
        def a_cumul(rel):
            return a.seq(a.maybe(a.seq(rfe, marked)), rel)

        cumul_fence = a.seq(marked, a.union(a_cumul(a.union(strong_fence, po_rel)), wmb),
                            marked)
        prop = a.seq(marked, a.maybe(a.both(overwrite, ext)), a.star(cumul_fence), marked,
                     a.maybe(rfe), marked)
        hb = a.seq(marked, a.union(ppo, rfe, a.both(a.minus(prop, a.id), internal)), marked)
        if not a.acyclic(hb):
            return None
        pb = a.seq(prop, strong_fence, a.star(hb), marked)
        if not a.acyclic(pb):
            return None

        # RCU
        rcu_gp = tagged('sync-rcu')
        # Sections are not nested, and there is one in a thread.
        rcu_rscsi = a.both(internal, pairs(
            lambda x, y: x.tag == 'rcu-unlock' and y.tag == 'rcu-lock'))
        rcu_link = a.seq(a.maybe(po), a.star(hb), a.star(pb), prop, po)
        rcu_order = rcu_gp
        while True:
            more = a.union(
                rcu_order,
                a.seq(rcu_gp, rcu_link, rcu_rscsi), a.seq(rcu_rscsi, rcu_link, rcu_gp),
                a.seq(rcu_gp, rcu_link, rcu_order, rcu_link, rcu_rscsi),
                a.seq(rcu_rscsi, rcu_link, rcu_order, rcu_link, rcu_gp),
                a.seq(rcu_order, rcu_link, rcu_order))
            if more == rcu_order:
                break
            rcu_order = more
        rcu_fence = a.seq(po, rcu_order, a.maybe(po))
        fence = a.union(fence, rcu_fence)
        strong_fence = a.union(strong_fence, rcu_fence)
        rb = a.seq(prop, rcu_fence, a.star(hb), a.star(pb), marked)
        if not a.irreflexive(rb):
            return None

        # Plain accesses
        xbstar = a.star(a.union(hb, pb, rb))
        vis = a.seq(a.star(cumul_fence), a.maybe(rfe), marked,
                    a.union(a.seq(strong_fence, marked, xbstar), a.both(xbstar, internal)))
        w_pre = a.seq(marked, a.maybe(a.union(addr, fence)))
        r_pre = a.seq(marked, a.maybe(a.union(addr, nonrw_fence, fencerel('rmb'))))
        w_post = a.seq(a.maybe(fence), marked)
        r_post = a.seq(a.maybe(a.union(nonrw_fence, a.seq(fencerel('rmb'), r))), marked)
        ww_vis = a.union(fence, a.seq(strong_fence, xbstar, w_pre), a.seq(w_post, vis, w_pre))
        wr_vis = a.union(fence, a.seq(strong_fence, xbstar, r_pre), a.seq(w_post, vis, r_pre))
        rw_xbstar = a.union(fence, a.seq(r_post, xbstar, w_pre))
        pre_race = a.both(ext, pairs(
            lambda x, y: x.kind in 'RW' and y.kind in 'RW' and
            (x.tag == 'plain' or (y.tag == 'plain' and x.thread >= 0))))
        if any(a.both(a.both(pre_race, rf), a.inverse(rw_xbstar))) or \
           any(a.both(a.both(pre_race, fr), a.inverse(wr_vis))) or \
           any(a.both(a.both(pre_race, co), a.inverse(ww_vis))):
            return None
        marked_w = pairs(lambda x, y: x.tag != 'plain' and y.kind == 'W')
        w_marked = pairs(lambda x, y: x.kind == 'W' and y.tag != 'plain')
        ww_nonrace = a.both(ww_vis, a.both(a.union(marked_w, rw_xbstar),
                                           a.union(w_marked, wr_vis)))
        ww_race = a.minus(a.both(pre_race, co), ww_nonrace)
        wr_race = a.minus(a.minus(a.both(pre_race, a.seq(a.maybe(co), rf)), wr_vis),
                          a.inverse(rw_xbstar))
        rw_race = a.minus(a.both(pre_race, fr), rw_xbstar)
        return any(ww_race) or any(wr_race) or any(rw_race)


# ---- all executions ---------------------------------------------------------------

def orders(events):
    """All co: the initial store first, the others in any order, for each place."""
    by_loc = {}
    for i, event in enumerate(events):
        if event.kind == 'W':
            by_loc.setdefault(event.loc, []).append(i)
    choices = []
    for writes in by_loc.values():
        first = [i for i in writes if events[i].thread < 0]
        rest = [i for i in writes if events[i].thread >= 0]
        choices.append([first + list(p) for p in itertools.permutations(rest)])
    for chosen in itertools.product(*choices):
        yield [(x, y) for order in chosen for x, y in itertools.combinations(order, 2)]


def sources(events):
    """All rf: each load reads a store of its value to its place."""
    reads = [i for i, event in enumerate(events) if event.kind == 'R']
    choices = [[j for j, w in enumerate(events)
                if w.kind == 'W' and w.loc == events[i].loc and w.value == events[i].value]
               for i in reads]
    for chosen in itertools.product(*choices):
        yield list(zip(chosen, reads))


def last(events, co):
    """The values that are left: of the stores that none comes after."""
    before = {x for x, _ in co}
    return {e.loc: str(e.value) for i, e in enumerate(events)
            if e.kind == 'W' and i not in before}


def judge(litmus, weak):
    """Return: (what is forbidden happens, a data race does, executions looked at)."""
    bad = race = False
    count = 0
    for events, registers in litmus.candidates(weak):
        for rf in sources(events):
            for co in orders(events):
                count += 1
                racy = Execution(events, rf, co).check()
                if racy is None:
                    continue
                race = race or racy
                bad = bad or litmus.exists(registers, last(events, co))
    return bad, race, count


def examine(litmus):
    """Yield (good, what) of a test, and of it without each of its labels."""
    bad, race, count = judge(litmus, None)
    happens = 'Sometimes' if bad else 'Never'
    yield (happens == litmus.result and not race,
           f'{litmus.name}: {happens.lower()}, {count} executions{", data race" * race}')
    for line, labels in litmus.labelled():
        bad, race, _ = judge(litmus, line)
        how = 'happens' if bad else 'data race' if race else 'not needed'
        for label in labels:
            yield bad or race, f'{litmus.name}: without {label}: {how}'


def main():
    results = []
    for path in sys.argv[1:]:
        litmus = Litmus(path)
        try:
            results += examine(litmus)
        except Unsupported as what:
            results.append((True, f'{litmus.name} # SKIP {what}'))
    print(f'KTAP version 1\n1..{len(results)}')
    for number, (good, what) in enumerate(results, 1):
        print(f'{"ok" if good else "not ok"} {number} {what}')
    return not all(good for good, _ in results)


if __name__ == '__main__':
    sys.exit(main())
