# Everything from a bare clone: `make demo` shows the main job, `make test` runs all tests.
SHELL := /bin/bash
SEED ?= 0
# How long each fuzzer runs.
FUZZ_SECONDS ?= 60

.PHONY: setup build types page-types lint check unit test demo fuzz bench guests seeded golden screenshots clean package executable release install uninstall

setup: node_modules/.installed
	@tools/setup-debian.sh

# Through a link, npm would empty the folder that somebody else's worktree has its packages in.
node_modules/.installed: package.json package-lock.json
	@if [ -L node_modules ]; then echo "node_modules is a link: its packages are installed where it leads"; \
	else npm ci --no-audit --no-fund && touch $@; fi

build: node_modules/.installed
	@node tools/build.mjs

types:
	npx tsc -p .
page-types:
	npx tsc -p src/report/page
lint:
	npx biome ci --diagnostic-level=error .

# Types, lint and what a test can say about the code itself.
check: node_modules/.installed
	@$(MAKE) --no-print-directory -j2 types page-types lint
	npx vitest run test/tidy.test.ts test/docs.test.ts

# What needs no compiler and no build: a minute on two cores.
unit: node_modules/.installed
	npx vitest run --config vitest.unit.config.ts

test: setup build
	@$(MAKE) --no-print-directory -j2 types page-types lint
	npx vitest run

# A key-value store in persistent memory with three mistakes, and what check finds in it.
demo: setup build
	@npx tsx tools/demo.ts

# Real programs, natively and in the machine. ROWS="sqlite|perl" picks some.
guests: setup build
	@npx tsx tools/guests.ts $(if $(ROWS),"$(ROWS)")

# Every seeded mistake in structures, raw and on libpmem and libpmemobj; `make test` takes some of them.
seeded: setup build
	SEEDED=all npx vitest run test/check/seeded.test.ts test/check/seeded-obj.test.ts test/check/hidden.test.ts test/check/large.test.ts test/check/joined.test.ts test/explore/seeded.test.ts test/explore/joined.test.ts test/explore/checksum.test.ts test/explore/inlined.test.ts test/explore/mixtures.test.ts test/explore/index.test.ts test/explore/counts.test.ts test/explore/again.test.ts test/check/goes-on.test.ts test/robust/seeded.test.ts test/leaks test/represent test/repair

# Every fuzzer in turn, from SEED on; a fuzzer that its time runs out for has found nothing.
fuzz: setup build
	@bounded() { echo "== $$* =="; timeout $(FUZZ_SECONDS) "$$@"; code=$$?; [ $$code -eq 0 ] || [ $$code -eq 124 ]; }; \
	bounded npx tsx tools/fuzz-litmus.ts $(SEED) && \
	PROVED_SEED=$(SEED) PROVED_PROGRAMS=1000000000 bounded npx vitest run test/litmus/proved-random.test.ts && \
	PROVED_SEED=$(SEED) PROVED_PROGRAMS=1000000000 bounded npx vitest run test/prove/random.test.ts && \
	TRACED_SEED=$(SEED) TRACED_PROGRAMS=1000000000 bounded npx vitest run test/litmus/traced.test.ts -t 'random programs' && \
	BINARIES_SEED=$(SEED) BINARIES_PROGRAMS=500 BINARIES_ROUNDS=1000000 bounded npx vitest run test/litmus/binaries.test.ts && \
	AGAIN_SEED=$(SEED) AGAIN_PROGRAMS=300 bounded npx vitest run test/explore/again-random.test.ts && \
	AGAIN_SEED=$(SEED) AGAIN_PROGRAMS=60 AGAIN_DEPTH=3 bounded npx vitest run test/explore/again-random.test.ts && \
	EXPLORE_SEED=$(SEED) EXPLORE_PROGRAMS=2000 bounded npx vitest run test/explore/random.test.ts && \
	CALLS_SEED=$(SEED) CALLS_PROGRAMS=1000 bounded npx vitest run test/explore/calls.test.ts && \
	JAARU_SEED=$(SEED) JAARU_PROGRAMS=2000 bounded npx vitest run test/explore/jaaru-count.test.ts && \
	EXPLORE_SEED=$(SEED) EXPLORE_SCHEDULED_PROGRAMS=100 bounded npx vitest run test/explore/schedules.test.ts && \
	FOLDS_SEED=$(SEED) FOLDS_PROGRAMS=100 bounded npx vitest run test/explore/inlined.test.ts -t 'random loops' && \
	EXPLORE_SEED=$(SEED) EXPLORE_STRICT_PROGRAMS=500 bounded npx vitest run test/explore/strict.test.ts && \
	SEED=$(SEED) ROBUST_PROGRAMS=5000 bounded npx vitest run test/robust/robust.test.ts && \
	ROBUST_SEED=$(SEED) ROBUST_BINARIES=2000 bounded npx vitest run test/robust/twins.test.ts test/robust/chance.test.ts && \
	ROBUST_SEED=$(SEED) ROBUST_CHAINS=200 bounded npx vitest run test/robust/chains.test.ts && \
	SCHEDULE_SEED=$(SEED) SCHEDULE_PROGRAMS=20000 npx vitest run src/machine/schedule && \
	SCHEDULES_SEED=$(SEED) SCHEDULES=5000 npx vitest run test/litmus/schedules.test.ts && \
	bounded npx tsx tools/fuzz-whole.ts $(SEED) && \
	ALL_GUESTS=1 ROUNDS=200 SEED=$(SEED) bounded npx vitest run src/engines/symbolic && \
	bounded npx tsx tools/fuzz-cpu.ts $(SEED) && \
	bounded npx tsx tools/fuzz-elf.ts $(SEED) && \
	bounded npx tsx tools/fuzz-inputs.ts $(SEED) && \
	bounded npx tsx tools/fuzz-grants.ts $(SEED) && \
	bounded npx tsx tools/fuzz-journal.ts $(SEED) && \
	bounded npx tsx tools/fuzz-outputs.ts $(SEED) && \
	bounded npx tsx tools/fuzz-surroundings.ts $(SEED) && \
	bounded npx tsx tools/fuzz-options.ts $(SEED) && \
	bounded npx tsx tools/fuzz-bundles.ts $(SEED) && \
	FILES_FIRST_SEED=$(SEED) FILES_SEEDS=500 bounded npx vitest run --bail 1 test/files/differential.test.ts && \
	FILES_FIRST_SEED=$(SEED) FILES_SEEDS=500 bounded npx vitest run --bail 1 test/files/mappings.test.ts

# Figures against their bounds, into bench/RESULTS.md. ROWS="explore|robust" picks some.
bench: setup build
	npx tsx tools/bench.ts $(if $(ROWS),"$(ROWS)")

# Golden files, written again when UPDATE=1; look at the difference before you commit it.
golden: setup build
	SEEDED=all npx vitest run test/litmus test/report test/ir/golden.test.ts test/check/seeded.test.ts $(if $(UPDATE),--update)

# What npm gives a user, as one file in .cache.
package: node_modules/.installed
	@mkdir -p .cache && npm pack --silent --pack-destination .cache

# The command as one file, for machines without Node: dist/blackout.
executable: node_modules/.installed
	@node tools/package/executable/build.mjs

# Checks version, changelog and tag, packs, and tries what is in the package; what is left is npm publish.
release: node_modules/.installed
	@node tools/package/release.mjs

# The command for everybody on this machine, or with PREFIX=$HOME/.local for you alone.
PREFIX ?= /usr/local
install: node_modules/.installed
	@node tools/package/install.mjs "$(PREFIX)" "$(DESTDIR)"

uninstall:
	@node tools/package/uninstall.mjs "$(PREFIX)" "$(DESTDIR)"

# The pictures of the page in docs.
screenshots: setup build
	npx tsx tools/screenshots.ts

clean:
	rm -rf dist .cache guests/build node_modules
