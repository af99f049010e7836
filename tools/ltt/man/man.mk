# SPDX-License-Identifier: GPL-2.0
#
# Man pages and HTML of Documentation/trace/ltt, made by Sphinx; included by
# tools/ltt/Makefile:
#
#	make man html		$(OUTPUT)/man, $(OUTPUT)/html
#	make man_install, man_uninstall
#			DESTDIR, PREFIX, MANDIR (PREFIX/share/man)

MANDIR ?= $(PREFIX)/share/man
SPHINXBUILD ?= sphinx-build
documents := $(wildcard $(top)/Documentation/trace/ltt/*.rst $(here)/man/*) $(here)/cmd/main.c
sphinx = PYTHONDONTWRITEBYTECODE=1 $(SPHINXBUILD) -q -W --keep-going -c $(here)/man \
	 -d $(OUTPUT)/doctrees

$(OUTPUT)/doc-src/.made: $(documents)
	PYTHONDONTWRITEBYTECODE=1 $(here)/man/pages.py $(@D)
	touch $@

$(OUTPUT)/man/.made: $(OUTPUT)/doc-src/.made
	rm -rf $(@D)
	$(sphinx)-man -b man -t man $(OUTPUT)/doc-src $(@D)
	$(here)/man/pages.py --aliases $(@D)
	touch $@

$(OUTPUT)/html/.made: $(OUTPUT)/doc-src/.made
	rm -rf $(@D)
	$(sphinx)-html -b html $(OUTPUT)/doc-src $(@D)
	touch $@

.PHONY: man html man_install man_uninstall
man: $(OUTPUT)/man/.made
html: $(OUTPUT)/html/.made

man_install: man
	set -e; for page in $(OUTPUT)/man/*.[1-9]; do \
		$(INSTALL) -D -m 644 $$page $(DESTDIR)$(MANDIR)/man$${page##*.}/$${page##*/}; \
	done

man_uninstall:
	set -e; for page in $$(PYTHONDONTWRITEBYTECODE=1 $(here)/man/pages.py --names); do \
		rm -f $(DESTDIR)$(MANDIR)/man$${page##*.}/$$page; \
	done
