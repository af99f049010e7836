#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""usage: test_layers.py

What kernel/trace/ltt-core and tools/ltt are made of: a layer uses those below it, public
headers need no private ones, and a source that the kernel shares with user space is listed
once. Prints KTAP.

Nothing is compiled. A source is searched for the names that others define, functions
and variables that are not static; also in its macros, and in code that a configuration
leaves out. Headers are only looked at for what they include.
"""

import os
import pathlib
import re
import sys

HERE = pathlib.Path(__file__).resolve().parent
TOP = HERE.parents[3]
CORE = TOP / 'kernel/trace/ltt-core'
PUBLIC = [TOP / 'include/linux/ltt', TOP / 'include/uapi/linux']

# layer: (layers it may use, its sources, its headers outside of the folder of its name), from
# the bottom up.
LAYERS = {
    'error': ('', 'error wait', 'error wait'),
    'clock': ('error', '', ''),
    # Shared with user space: nothing but the clock, which stamps events.
    'relay': ('clock', '', ''),
    # Shared with user space: nothing.
    'format': ('', '', ''),
    # Shared with user space.
    'expr': ('format', '', ''),
    # Shared with user space, but for area.c.
    'area': ('error format', '', ''),
    'marker': ('error clock relay format', '', ''),
    'trace': ('error clock relay format expr area marker', '', ''),
    'reader': ('error clock relay format marker trace', '', ''),
    'control': ('error clock format marker trace', '', ''),
    'binary': ('error clock relay format marker trace', '', ''),
    # Starts and ends all of them.
    'main': ('error clock relay format area marker trace reader control binary', 'main', ''),
}

# Notices that go up all the same: (source, name). None are needed: those above are told
# through struct ltt_registry_listener and struct ltt_client.
NOTICES = set()

# The folders of tools/ltt, and which others they may use, from the bottom up.
TOOL = TOP / 'tools/ltt'
TOOL_LAYERS = {
    'lib': '',
    # Names, messages and files, for any of those above.
    'common': 'lib',
    'relay': 'lib common',
    'repair': 'lib common',
    'capture': 'lib common relay repair',
    'serve': 'lib common capture',
    'remote': 'lib relay serve',
    'names': 'lib common',
    'export': 'lib common',
    'plot': 'lib common export',
    'crash': 'lib common',
    'flight': 'lib common capture',
    'pair': 'lib common capture',
    # What each subcommand takes, and calls.
    'cmd': 'lib common relay repair capture serve remote names export plot crash flight pair',
}

# Public headers for LTT's own modules: what trace_mark() compiles into its caller, and others.
MARKER_INTERNALS = {'gate.h', 'local.h', 'marker_args.h', 'packet.h', 'tap.h'}
NOT_FOR_DRIVERS = {'clock.h', 'reserve.h', 'ring_buffer.h'}

STRINGS = re.compile(r'"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'')
# A string may hold what looks like a comment, and is kept.
COMMENTS = re.compile(rf'({STRINGS.pattern})|/\*.*?\*/|//[^\n]*', re.S)
DIRECTIVES = re.compile(r'^[ \t]*#(?:[^\n]*\\\n)*[^\n]*$', re.M)
INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*([<"])([^>"]+)', re.M)
INCLUDE_LINE = re.compile(r'^[ \t]*#[ \t]*include[^\n]*$', re.M)
FUNCTION = re.compile(r'\b(\w+)\s*\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\)\s*$')
DEFINER = re.compile(r'(?:DEFINE_\w+|LIST_HEAD)\((?:[^(),]+,\s*)?(\w+)\)$')


def uncommented(path):
    return COMMENTS.sub(lambda found: found.group(1) or ' ', path.read_text())


def code_of(text):
    """Without strings, whose words are no names."""
    return STRINGS.sub('""', text)


def statements(text):
    """What stands outside of all braces, and whether a body in braces follows."""
    text = DIRECTIVES.sub('', code_of(text))
    depth, begin, outside = 0, 0, ''
    for brace in re.finditer(r'[{}]', text):
        if brace.group() == '{':
            outside += text[begin:brace.start()] + '{' if not depth else ''
            depth += 1
        else:
            depth -= 1
            outside += '}' if not depth else ''
            begin = brace.end() if not depth else begin
    outside += text[begin:]
    for part in re.finditer(r'([^;{}]*)(\{\})?([^;{}]*;)?', outside):
        before, body = part.group(1).strip(), bool(part.group(2))
        yield ' '.join(before.split()), body


def defined(text):
    """The functions and variables that a source has for others."""
    names = set()
    for what, body in statements(text):
        if re.match(r'(static|extern|typedef)\b', what) or not what:
            continue
        function = FUNCTION.search(what)
        definer = DEFINER.search(what)
        variable = re.search(r'(?:^|[\s*])(\w+)\s*(?:\[[^]]*\]\s*)*(?:=.*)?$', what)
        if definer:
            names.add(definer.group(1))
        elif function and body:
            names.add(function.group(1))
        elif variable and not function and ' ' in what and \
                not re.match(r'(struct|union|enum)\s+\w+$', what):
            names.add(variable.group(1))
    return names


def declared(text):
    """The functions, variables and macros that a header has."""
    names = set(re.findall(r'^[ \t]*#[ \t]*define[ \t]+(\w+)', text, re.M))
    for what, body in statements(text):
        function = FUNCTION.search(re.sub(r'\s__\w+(\([^()]*\))?$', '', what))
        variable = re.search(r'(\w+)\s*(?:\[[^]]*\])*(?: __\w+)?$', what)
        if function:
            names.add(function.group(1))
        elif what.startswith('extern') and variable and not body:
            names.add(variable.group(1))
    return names


def sources():
    return sorted(CORE.rglob('*.c'))


def layer_of(path):
    """None for one that is in no layer; a makefile's own header, say."""
    folder = path.relative_to(CORE).parts[0]
    if folder in LAYERS:
        return folder
    column = 1 if path.suffix == '.c' else 2
    for layer, row in LAYERS.items():
        if path.stem in row[column].split():
            return layer
    return None


def may_use(user, used):
    return user == used or used in LAYERS[user][0].split()


# ---- tests: each yields what is wrong ------------------------------------------------------


def every_source_has_a_layer():
    for path in sorted(CORE.rglob('*.[ch]')):
        if not layer_of(path):
            yield f'{path.relative_to(TOP)} is in no layer'


def layers_are_ordered():
    for layers in {layer: row[0] for layer, row in LAYERS.items()}, TOOL_LAYERS:
        below = set()
        for layer, uses in layers.items():
            for used in set(uses.split()) - below:
                yield f'{layer} may use {used}, which is not below it'
            below.add(layer)


def no_call_goes_up():
    texts = {path: uncommented(path) for path in sources()}
    where = {}
    for path, text in texts.items():
        for name in defined(text):
            where.setdefault(name, path)
    # A scan that finds nothing would be content with everything.
    if len(where) < 200 or 'ltt_trace_create' not in where or 'ltt_mutex' not in where:
        yield f'only {len(where)} functions and variables found'
    for path, text in texts.items():
        user = layer_of(path)
        local = set(re.findall(r'\bstatic\b[^;{}()=]*?\b(\w+)\s*[(=;\[]', text))
        for name in sorted(set(re.findall(r'\b\w+\b', code_of(INCLUDE_LINE.sub('', text))))):
            target = where.get(name)
            if not target or name in local or (path.name, name) in NOTICES:
                continue
            used = layer_of(target)
            if user and used and not may_use(user, used):
                yield f'{path.name} ({user}) uses {name} of {target.name} ({used})'


def no_notice_is_stale():
    for name, notice in sorted(NOTICES):
        if not any(path.name == name and re.search(rf'\b{notice}\b', uncommented(path))
                   for path in sources()):
            yield f'{name} does not use {notice}'


def no_include_goes_up():
    headers = {path.name: path for path in sorted(CORE.rglob('*.h'))}
    for path in sorted(CORE.rglob('*.[ch]')):
        user = layer_of(path)
        for quote, name in INCLUDE.findall(uncommented(path)):
            header = headers.get(os.path.basename(name))
            used = header and quote == '"' and layer_of(header)
            if user and used and not may_use(user, used):
                yield f'{path.name} ({user}) includes {name} ({used})'


def no_include_of_the_tools_goes_up():
    found = set()
    for path in sorted(TOOL.glob('*/*.[ch]')):
        user = path.parent.name
        found |= {user} if path.suffix == '.c' else set()
        for quote, name in INCLUDE.findall(uncommented(path)):
            header = (path.parent / name).resolve()
            if quote != '"' or TOOL not in header.parents:
                continue
            # A folder in a folder is a part of it.
            used = header.relative_to(TOOL).parts[0]
            if user != used and used not in TOOL_LAYERS.get(user, '').split():
                yield f'{path.relative_to(TOOL)} includes {name}'
    for folder in sorted(found ^ set(TOOL_LAYERS)):
        yield f'{folder} is no layer, or has no source'


def modules_include_public_headers():
    """Those outside of ltt-core include nothing of it."""
    for top in ('kernel/trace/textout', 'kernel/trace/ltt-events', 'samples/ltt'):
        place = TOP / top
        for path in sorted(place.rglob('*.[ch]')):
            for quote, name in INCLUDE.findall(uncommented(path)):
                if quote == '"' and place not in (path.parent / name).resolve().parents:
                    yield f'{path.relative_to(TOP)} includes {name}'


def public_headers():
    return sorted(PUBLIC[0].glob('*.h')) + sorted(PUBLIC[1].glob('ltt*.h'))


def public_headers_need_no_private_ones():
    private = set()
    for path in CORE.rglob('*.h'):
        private |= declared(uncommented(path))
    texts = {path: uncommented(path) for path in public_headers()}
    for text in texts.values():
        private -= declared(text)
    if 'ltt_marker_add' not in private:
        yield 'nothing private found'
    for path, text in texts.items():
        for quote, name in INCLUDE.findall(text):
            if quote == '"' or (name.startswith('linux/ltt') and not
                                any((TOP / top / name).exists() for top in ('include',
                                                                           'include/uapi'))):
                yield f'{path.name} includes {name}'
        for name in sorted(set(re.findall(r'\b\w+\b', code_of(text))) & private):
            if re.search(rf'(?<![.>@])\b{name}\s*\(', code_of(text)) or name.startswith('LTT_'):
                yield f'{path.name} needs {name}, which is private'


def headers_for_drivers_are_few():
    """Those that <linux/ltt/marker.h> includes; all but two say that they are not for drivers."""
    seen, ahead = set(), ['linux/ltt/marker.h']
    while ahead:
        name = ahead.pop()
        if name.startswith('linux/ltt/') and name not in seen:
            seen.add(name)
            ahead += [found for _, found in INCLUDE.findall(uncommented(TOP / 'include' / name))]
    seen = {os.path.basename(name) for name in seen}
    for name in sorted(seen ^ {'marker.h', 'types.h', *MARKER_INTERNALS}):
        yield f'{name}: expected {"no" if name in seen else "an"} include by marker.h'
    for name in sorted(MARKER_INTERNALS | NOT_FOR_DRIVERS):
        if '\n * Not for drivers: ' not in (PUBLIC[0] / name).read_text():
            yield f'{name} does not say that it is not for drivers'


def expanded(found):
    """$(addprefix PREFIX,NAME...)"""
    return ' '.join(found.group(1) + name for name in found.group(2).split())


def makefiles():
    for top in ('kernel', 'samples', 'tools'):
        for path in sorted((TOP / top).rglob('*')):
            if path.name in ('Makefile', 'Kbuild') or path.suffix == '.mk':
                yield path


def no_source_is_in_two_lists():
    """Neither an object in two modules, nor a shared source in two of user space's lists."""
    shared = {f'{path.parent.name}/{path.name}'
              for top in (CORE, TOP / 'kernel/trace/textout') for path in top.rglob('*.c')}
    seen = {}
    for path in makefiles():
        text = re.sub(r'\\\n', ' ', re.sub(r'(?m)(?:^|\s)#.*$', '', path.read_text()))
        text = re.sub(r'\$\(addprefix ((?:[^,()]|\([^()]*\))+),([^()]*)\)', expanded, text)
        in_kernel = TOP / 'kernel' in path.parents
        for line in text.splitlines():
            for name in re.findall(r'[\w./-]+\.[oc]\b', line):
                if in_kernel and name.endswith('.o') and '-y' in line.split('=')[0] and \
                        not line.startswith('obj-'):
                    where = path.parent / name
                elif not in_kernel and '/'.join(name.split('/')[-2:]) in shared:
                    where = '/'.join(name.split('/')[-2:])
                else:
                    continue
                seen.setdefault(where, []).append(path.relative_to(TOP))
    if 'format/parse.c' not in seen:
        yield 'no list of sources found'
    for where, places in sorted(seen.items(), key=str):
        if len(places) > 1:
            yield f'{where}: {", ".join(map(str, places))}'


TESTS = [
    every_source_has_a_layer,
    layers_are_ordered,
    no_call_goes_up,
    no_notice_is_stale,
    no_include_goes_up,
    no_include_of_the_tools_goes_up,
    modules_include_public_headers,
    public_headers_need_no_private_ones,
    headers_for_drivers_are_few,
    no_source_is_in_two_lists,
]


def main():
    failed = False
    case = os.environ.get('LTT_CASE', '')
    print('KTAP version 1')
    print(f'1..{len(TESTS)}')
    for number, test in enumerate(TESTS, 1):
        what = test.__name__.replace('_', ' ')
        if case not in ('', str(number)) and (case.isdigit() or not re.search(case, what)):
            print(f'ok {number} {what} # SKIP not asked for')
            continue
        wrong = list(test())
        for line in wrong:
            print(f'# {line}')
        print(f'{"not " if wrong else ""}ok {number} {what}')
        failed |= bool(wrong)
    return failed


if __name__ == '__main__':
    sys.exit(main())
