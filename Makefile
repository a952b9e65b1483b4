# Everything from a bare clone: `make demo` shows the main job, `make test` runs all tests.
SHELL := /bin/bash
SEED ?= 0

.PHONY: setup build check test demo fuzz bench guests clean

setup: node_modules/.installed
	@tools/setup-debian.sh

node_modules/.installed: package.json package-lock.json
	npm ci --no-audit --no-fund
	@touch $@

build: node_modules/.installed
	node tools/build.mjs

check: setup
	npx tsc -p .
	npx biome ci --diagnostic-level=error .
	npx vitest run test/tidy.test.ts

test: setup build
	npx tsc -p .
	npx biome ci --diagnostic-level=error .
	npx vitest run

clean:
	rm -rf dist .cache guests/build node_modules
