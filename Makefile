# For people. The package itself is built by R, through configure and src/Makevars.in, and does not
# come here.
.PHONY: help demo test test-all bench bench-papers fuzz install repository doc site deps clean

help:
	@echo "make demo      install what is missing, fit an optimal tree to a real data set, draw it"
	@echo "make test      the tests that a change waits for, some minutes; SUITES=\"c r\": these"
	@echo "make test-all  all tests that this machine can run, half an hour; STRICT=1: and no fewer"
	@echo "make bench     measure contree beside other solvers; QUICK=1: minutes instead of hours"
	@echo "make bench-papers   tables beside those of the papers"
	@echo "make fuzz      random problems against second opinions, for SECONDS=60, from SEED=1"
	@echo "make install   install the package, with its vignettes, into your R library"
	@echo "make repository  a folder that install.packages(repos = ) takes, in build/repository"
	@echo "make doc       help pages and NAMESPACE from the comments in R/, README's picture"
	@echo "make site      the web site of the package, in build/site"
	@echo "make deps      install what demo and test need (make demo and make test do this themselves)"
	@echo "make clean     remove everything built"

demo:
	@sh tools/setup.sh run
	@sh tools/install.sh build/lib
	@R_LIBS=build/lib Rscript --vanilla tools/demo.R

# `make test SUITES="c asan"` runs these alone; tools/test.sh lists them
test:
	@sh tools/setup.sh test
	@STRICT=$(STRICT) sh tools/test.sh $(or $(SUITES),quick)

test-all:
	@STRICT=$(STRICT) sh tools/setup.sh test cluster
	@STRICT=$(STRICT) sh tools/test.sh

# QUICK=1 and the other settings in bench/run.sh can be given here as well
bench:
	@sh tools/setup.sh run
	@sh bench/run.sh

# A table a paper, bench/results/paper-*.csv; the package is to be installed. QUICK=1: minutes, and
# into build/bench.
bench-papers: papers_out = $(or $(OUT),$(if $(QUICK),build/bench,bench/results))
bench-papers:
	@mkdir -p $(papers_out)
	OUT=$(papers_out) QUICK=$(QUICK) OMP_WAIT_POLICY=passive Rscript --vanilla bench/papers_contree.R
	OUT=$(papers_out) QUICK=$(QUICK) Rscript --vanilla bench/papers_gmt.R
	OUT=$(papers_out) QUICK=$(QUICK) Rscript --vanilla bench/papers_sharp.R
	OUT=$(papers_out) QUICK=$(QUICK) OMP_WAIT_POLICY=passive Rscript --vanilla bench/papers_forge.R

# Another seed each time; what is found lies in tests/instances, where the tests replay it.
SECONDS ?= 60
SEED ?= $(shell date +%s)
fuzz:
	@sh tools/setup.sh test
	@$(MAKE) -s -C tests/c asan=1 fuzz SECONDS=$(SECONDS) SEED=$(SEED)

install:
	@sh tools/setup.sh build
	@sh tools/install.sh "" "`sh tools/build.sh`"

repository:
	@sh tools/setup.sh build
	@sh tools/repository.sh "`sh tools/build.sh`"

doc:
	@sh tools/setup.sh doc
	Rscript --vanilla -e 'roxygen2::roxygenise(load_code = "source")'
	@sh tools/install.sh build/lib
	R_LIBS=build/lib Rscript --vanilla tools/picture.R

# Whatever would be fetched from the web is left out.
site:
	@sh tools/setup.sh site
	@sh tools/install.sh build/lib
	R_LIBS=build/lib Rscript --vanilla -e 'options(pkgdown.internet = FALSE)' \
	  -e 'pkgdown::build_site(install = FALSE, new_process = FALSE, preview = FALSE)'

deps:
	@sh tools/setup.sh run test

clean:
	./cleanup
	rm -rf build tests/c/build contree_*.tar.gz contree.Rcheck
