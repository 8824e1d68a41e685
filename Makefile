# SPDX-License-Identifier: MIT

PREFIX  ?= /usr/local
DESTDIR ?=
SWIFT   ?= swift
# The options of `swift build` for tests and checks; by default they build for debugging.
BUILD_OPTIONS ?=
BUILT    = $$($(SWIFT) build $(BUILD_OPTIONS) --show-bin-path)
DEMO    := .build/demo
# The options of `swift build` for the demo; by default the fastest build: whole modules, without optimization,
# debug information or index.
DEMO_OPTIONS ?= --scratch-path $(DEMO) -c release -Xswiftc -Onone -Xswiftc -no-emit-module-separately-wmo \
    -debug-info-format none --disable-index-store

.DEFAULT_GOAL := help
.PHONY: help demo test build lint components page bench fuzz soak lua-suite install deb deps deps-test clean

help: ## print this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-10s %s\n", $$1, $$2 }' Makefile

demo: deps ## build a small program, and replay the example recording through Examples/demo.yaml
	$(SWIFT) build $(DEMO_OPTIONS) --product tapline-demo
	@Examples/demo "$$($(SWIFT) build $(DEMO_OPTIONS) --show-bin-path)/tapline-demo" $(DEMO)/results

test: deps-test ## build and run all tests
	$(SWIFT) build $(BUILD_OPTIONS) --build-tests
# As `swift test --skip-build`, but with limited parallelism: tests that wait for others would starve.
	"$(BUILT)/taplinePackageTests.xctest" --testing-library swift-testing \
	    --experimental-maximum-parallelization-width 16

build: deps ## build the tapline command in release mode
	$(SWIFT) build -c release -debug-info-format none --product tapline

lint: deps-test ## check formatting, imports, layout, pages, comments, symbols and components
	$(SWIFT) format lint --strict --parallel -r Sources Plugins Tests Examples
	Tests/Scripts/selftest
	Tests/Scripts/imports
	Tests/Scripts/layout
	Tests/Scripts/docs
	Tests/Scripts/comments
	Tests/Scripts/page --check
	Tests/Scripts/share --check
	$(SWIFT) build $(BUILD_OPTIONS)
	Tests/Scripts/symbols . "$(BUILT)"
	"$(BUILT)/tapline" schema | Tests/Scripts/components --check

components: deps-test ## generate the components of apps from the options of plugins
	$(SWIFT) build $(BUILD_OPTIONS) --product tapline
	"$(BUILT)/tapline" schema | Tests/Scripts/components

page: ## compress the inspector's page into the module, after it was changed
	Tests/Scripts/page
	Tests/Scripts/share

bench: deps-test ## run the benchmarks
	Tests/Benchmarks/run
	Tests/Benchmarks/proxy
	Tests/Benchmarks/waits
	Tests/Benchmarks/echo
	Tests/Benchmarks/tap
	Tests/Benchmarks/store
	Tests/Benchmarks/inspector
	Tests/Benchmarks/replay
	Tests/Benchmarks/streams
	Tests/Benchmarks/programs
	Tests/Benchmarks/namespace

fuzz: deps-test ## fuzz every parser briefly
	Tests/Fuzz/run

soak: deps-test ## run the long forms of the tests
	Tests/Soak/run

lua-suite: deps-test ## run the portable part of Lua's own tests (LUA_TESTS=folder) in the sandbox
	@test -n "$(LUA_TESTS)" || { echo "lua-suite: set LUA_TESTS to the folder of Lua's tests"; exit 64; }
	LUA_TESTS="$(abspath $(LUA_TESTS))" $(SWIFT) test --filter LuaSuiteTests

install: deps ## install command, manual page and completions under PREFIX
	.ci/install "$(DESTDIR)" "$(PREFIX)"

deb: deps ## build a Debian package with command and service into .build/deb
	.ci/debian/build .build/deb

deps: ## install missing Debian packages that a build needs
	@.ci/deps build

deps-test:
	@.ci/deps build test

clean: ## remove all build products
	rm -rf .build
