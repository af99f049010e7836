# SPDX-License-Identifier: GPL-2.0
"""Sphinx's configuration for the man pages, and for the pages in Documentation/trace/ltt
outside of a kernel tree. See man.mk."""
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.realpath(__file__)))
import pages                        # noqa: E402

project = "LTT"
version = release = pages.VERSION
copyright = author = ""
master_doc = "index"
html_theme = "alabaster"
html_show_copyright = False
html_show_sourcelink = False
html_theme_options = {"nosidebar": True}
# As the pages are written.
highlight_language = "none"
smartquotes = False
if not tags.has("man"):             # noqa: F821
    exclude_patterns = ["ltt-*.rst"]
man_pages = [(page.document, page.name, page.what, "", page.section) for page in pages.PAGES]
man_show_urls = False
manpages_url = None
