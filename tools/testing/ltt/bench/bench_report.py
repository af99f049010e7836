#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
#
# usage: ... | bench_report.py DIRECTORY
#
# Hand on what benchmarks print, and write their figures to DIRECTORY/bench.json and, with
# plots, to DIRECTORY/bench.html, which needs no other file. A figure is a line
#
#	bench NAME VALUE UNIT [peer PEER VALUE ratio R]
#
# Names that differ only in a number at their end are points of one curve.

import html
import json
import os
import platform
import re
import subprocess
import sys
import time

LINE = re.compile(r'bench (\S+) (\S+) (\S+)(?: peer (\S+) (\S+) ratio (\S+))?$')

WIDTH, ROW, NAMES = 760, 22, 200            # of bars
PLOT_W, PLOT_H, MARGIN = 420, 220, 56       # of curves
OURS, THEIRS = '#1b6ca8', '#c9c9c9'

STYLE = '''
body { font: 15px/1.5 sans-serif; max-width: 60em; margin: 2em auto; padding: 0 1em; }
table { border-collapse: collapse; }
td, th { padding: .15em .8em; text-align: right; border-bottom: 1px solid #ddd; }
td:first-child, th:first-child, td:nth-child(3), td:nth-child(4) { text-align: left; }
'''


def parse(line):
    m = LINE.match(line)
    if not m:
        return None
    name, value, unit, peer, peer_value, ratio = m.groups()
    figure = {'name': name, 'value': float(value), 'unit': unit}
    if peer:
        figure.update(peer=peer, peer_value=float(peer_value), ratio=float(ratio))
    return figure


def version():
    try:
        return subprocess.run(['git', 'describe', '--always', '--dirty'], check=True,
                              capture_output=True, text=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return 'unknown'


def number(value):
    return f'{value:,.0f}' if value >= 1000 else f'{value:g}'


def text(x, y, string, anchor='start'):
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{html.escape(string)}</text>'


def svg(width, height, parts):
    """A picture: part of a page, or a file of its own."""
    return (f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
            f'font-family="sans-serif" font-size="12" role="img">{"".join(parts)}</svg>')


def bars(figures):
    """What has a peer, each pair to a scale of its own."""
    out = []
    y = 0
    for f in figures:
        most = max(f['value'], f['peer_value']) or 1
        room = WIDTH - NAMES - 240
        out.append(text(NAMES - 8, y + 20, f['name'], 'end'))
        for row, (value, colour, who) in enumerate(
                ((f['value'], OURS, 'LTT'), (f['peer_value'], THEIRS, f['peer']))):
            length = max(room * value / most, 1)
            top = y + 3 + row * 14
            out.append(f'<rect x="{NAMES}" y="{top}" width="{length:.1f}" height="12" '
                       f'fill="{colour}"/>')
            out.append(text(NAMES + length + 6, top + 10, f'{who} {number(value)} {f["unit"]}'))
        y += 2 * ROW
    return svg(WIDTH, y, out)


def curves(figures):
    """Name of a curve -> its points, from names that end in numbers."""
    found = {}
    for f in figures:
        m = re.match(r'(.*\D)_?(\d+)$', f['name'])
        if m:
            found.setdefault(m.group(1).rstrip('_'), []).append((int(m.group(2)), f))
    return {name: sorted(points, key=lambda p: p[0])
            for name, points in found.items() if len(points) > 2}


def curve(points):
    """Cost against the number, whose steps are equally far apart."""
    unit = points[0][1]['unit']
    lines = [('LTT', OURS, [f['value'] for _, f in points])]
    if all('peer' in f for _, f in points):
        lines.append((points[0][1]['peer'], '#888', [f['peer_value'] for _, f in points]))
    most = max(max(values) for _, _, values in lines) * 1.1 or 1
    step = (PLOT_W - 2 * MARGIN) / (len(points) - 1)
    base = PLOT_H - 30
    out = [f'<line x1="{MARGIN}" y1="{base}" x2="{PLOT_W - MARGIN}" y2="{base}" stroke="#888"/>']
    for i in range(5):
        y = base - (base - 20) * i / 4
        out.append(f'<line x1="{MARGIN}" y1="{y:.1f}" x2="{PLOT_W - MARGIN}" y2="{y:.1f}" '
                   'stroke="#eee"/>')
        out.append(text(MARGIN - 6, y + 4, f'{most * i / 4:.0f}', 'end'))
    for i, (x, _) in enumerate(points):
        out.append(text(MARGIN + i * step, base + 16, str(x), 'middle'))
    for who, colour, values in lines:
        path = ' '.join(f'{MARGIN + i * step:.1f},{base - (base - 20) * v / most:.1f}'
                        for i, v in enumerate(values))
        out.append(f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="2"/>')
        out.append(text(PLOT_W - MARGIN + 6, base - (base - 20) * values[-1] / most + 4, who))
    out.append(text(MARGIN, 12, unit))
    return svg(PLOT_W, PLOT_H, out)


def page(report):
    figures = report['figures']
    rows = ''.join(
        f'<tr><td>{html.escape(f["name"])}</td><td>{number(f["value"])}</td>'
        f'<td>{html.escape(f["unit"])}</td><td>{html.escape(f.get("peer", ""))}</td>'
        f'<td>{number(f["peer_value"]) if "peer" in f else ""}</td>'
        f'<td>{f["ratio"] if "peer" in f else ""}</td></tr>\n' for f in figures)
    plots = ''.join(f'<h3>{html.escape(name)}</h3>{curve(points)}\n'
                    for name, points in curves(figures).items())
    return f'''<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><title>LTT: figures</title>
<style>{STYLE}</style></head><body>
<h1>LTT: figures</h1>
<p>Version {html.escape(report["version"])}, {html.escape(report["date"])},
{html.escape(report["machine"])}. Instructions are repeatable; of times take the ratios.</p>
<h2>Next to others</h2>
{bars([f for f in figures if "peer" in f])}
<h2>Curves</h2>
{plots}<h2>All</h2>
<table><tr><th>figure</th><th>LTT</th><th>unit</th><th>peer</th><th>its value</th><th>ratio</th></tr>
{rows}</table>
</body></html>
'''


def main():
    if len(sys.argv) != 2:
        sys.exit('usage: bench_report.py DIRECTORY')
    figures = []
    for line in sys.stdin:
        sys.stdout.write(line)
        sys.stdout.flush()
        figure = parse(line.rstrip())
        if figure:
            figures.append(figure)
        elif line.startswith('bench '):
            sys.exit(f'bench_report.py: invalid line: {line.rstrip()}')
    if not figures:
        sys.exit('bench_report.py: no figures')
    report = {'version': version(), 'date': time.strftime('%Y-%m-%d', time.gmtime()),
              'machine': f'{platform.machine()}, {os.cpu_count()} processors',
              'figures': figures}
    os.makedirs(sys.argv[1], exist_ok=True)
    with open(os.path.join(sys.argv[1], 'bench.json'), 'w', encoding='utf-8') as out:
        json.dump(report, out, indent=1)
        out.write('\n')
    with open(os.path.join(sys.argv[1], 'bench.html'), 'w', encoding='utf-8') as out:
        out.write(page(report))


if __name__ == '__main__':
    main()
