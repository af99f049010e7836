#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""Check the links of a site.

usage: links.py DIRECTORY

What a page in DIRECTORY links to, or shows, is there, as is the place in it; and each page can be
reached from index.html. Other sites are not asked.
"""
import html.parser
import os
import sys
import urllib.parse

# Sphinx's own, to which search leads.
UNLISTED = {"genindex.html", "search.html"}


class Page(html.parser.HTMLParser):
    """Links of a page, and places in it"""

    def __init__(self, path):
        super().__init__()
        self.links, self.places = [], set()
        with open(path, encoding="utf-8") as file:
            self.feed(file.read())

    def handle_starttag(self, tag, attrs):
        for name, value in attrs:
            if name == "id":
                self.places.add(value)
            elif name in ("href", "src") and value is not None:
                self.links.append(value)


def check(directory):
    """Complaints, and how many links there are"""
    pages = {name: Page(os.path.join(directory, name))
             for name in os.listdir(directory) if name.endswith(".html")}
    complaints, links, leads = [], 0, {}
    for name, page in pages.items():
        leads[name] = set()
        for link in page.links:
            url = urllib.parse.urlsplit(link)
            if url.scheme or url.netloc:
                continue
            links += 1
            target = os.path.normpath(urllib.parse.unquote(url.path)) if url.path else name
            place = urllib.parse.unquote(url.fragment)
            leads[name].add(target)
            if not os.path.isfile(os.path.join(directory, target)):
                complaints.append(f"{name}: {link}: no such file")
            elif place and target in pages and place not in pages[target].places:
                complaints.append(f"{name}: {link}: no such place")
    reached, new = set(), {"index.html"}
    while new:
        reached |= new
        new = {target for name in new for target in leads.get(name, ())} - reached
    complaints += [f"{name}: nothing leads there" for name in sorted(pages.keys() - reached - UNLISTED)]
    return complaints, links


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__.split("\n\n")[1])
    complaints, links = check(sys.argv[1])
    print("\n".join([*complaints, f"{links} links"]))
    sys.exit(bool(complaints) or not links)


if __name__ == "__main__":
    main()
