#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""usage: json_schema.py SCHEMA < LINES

Are these lines of text style "json" as the schema says, with a header first and no keys that it
does not have? Of each kind of event, the first 20 are looked at, 200 with LTT_LONG. Prints how
many there are.
"""

import collections
import json
import os
import sys

import jsonschema

EACH = 200 if os.environ.get("LTT_LONG") else 20


def strict(schema):
    """The same schema, in which objects have no other keys."""
    if isinstance(schema, list):
        return [strict(part) for part in schema]
    if not isinstance(schema, dict):
        return schema
    closed = {key: strict(part) for key, part in schema.items()}
    if schema.get("type") == "object" and "properties" in schema:
        closed["additionalProperties"] = False
    return closed


def no_duplicates(pairs):
    names = [name for name, _ in pairs]
    if len(set(names)) != len(names):
        raise ValueError(f"a key twice: {names}")
    return dict(pairs)


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        schema = strict(json.load(file))
    jsonschema.Draft202012Validator.check_schema(schema)
    validator = jsonschema.Draft202012Validator(schema)
    seen = collections.Counter()
    for number, line in enumerate(sys.stdin.buffer, 1):
        if not line.endswith(b"\n"):
            return f"line {number}: cut off: {line!r}"
        entry = json.loads(line.decode("utf-8"), object_pairs_hook=no_duplicates)
        kind = entry.get("notice") or f"{entry.get('channel')}.{entry.get('event')}"
        if "ltt" in entry:
            kind = "header"
        if (number == 1) != (kind == "header"):
            return f"line {number}: a header elsewhere than first: {line!r}"
        seen[kind] += 1
        if "event" in entry and seen[kind] > EACH:
            continue
        for error in validator.iter_errors(entry):
            return f"line {number}: {line!r}: {error.message}"
    for kind, nr in sorted(seen.items()):
        print(nr, kind)
    return None if seen else "nothing to look at"


sys.exit(main())
