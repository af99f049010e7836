# SPDX-License-Identifier: GPL-2.0
"""Sphinx's configuration for the man pages, and for the pages in Documentation/trace/ltt
outside of a kernel tree. See man.mk; with the tag site, tools/testing/ltt/site/build.sh."""
import os
import sys

from docutils import nodes
from docutils.parsers.rst import Directive, directives

sys.path.insert(0, os.path.dirname(os.path.realpath(__file__)))
import pages                        # noqa: E402

project = "LTT"
version = release = pages.VERSION
copyright = author = ""
master_doc = "index"
html_theme = "alabaster"
html_show_copyright = False
html_show_sourcelink = False
# As the pages are written.
highlight_language = "none"
smartquotes = False
if not tags.has("man"):             # noqa: F821
    exclude_patterns = ["ltt-*.rst"]
man_pages = [(page.document, page.name, page.what, "", page.section) for page in pages.PAGES]
man_show_urls = False
manpages_url = None
html_theme_options = {"nosidebar": True}


class KernelDoc(Directive):
    """Without the kernel's own: where the comments are."""
    required_arguments = 1
    option_spec = {"export": directives.flag, "identifiers": directives.unchanged}

    def run(self):
        return [nodes.paragraph("", "", nodes.literal(text=self.arguments[0]))]


def setup(app):
    if not tags.has("site"):        # noqa: F821
        app.add_directive("kernel-doc", KernelDoc)


if tags.has("site"):                # noqa: F821
    kernel = os.environ["KERNEL"]
    sys.path.insert(0, kernel + "/Documentation/sphinx")
    extensions = ["kerneldoc"]
    kerneldoc_bin = kernel + "/scripts/kernel-doc"
    kerneldoc_srctree = pages.TOP
    c_id_attributes = ["__percpu", "__rcu", "__user", "notrace"]
    # Types that are the kernel's, or not described.
    nitpick_ignore_regex = [("c:.*", "(?!ltt_|trace_mark).*|ltt_(buf|control_file|error|error_log|expr)")]
    html_theme_options = {"description": "Live, ordered text traces of the Linux kernel",
                          "page_width": "76em", "sidebar_width": "16em", "code_font_size": "0.85em",
                          "font_family": "sans-serif", "show_relbars": True}
    html_sidebars = {"**": ["about.html", "navigation.html", "searchbox.html"]}
