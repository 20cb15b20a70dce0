# The few commands a newcomer needs. Everything else is plain CMake: see CMakePresets.json.
JOBS ?= $(shell nproc)

.PHONY: help bootstrap build test demo format tidy clean

help:
	@echo "make demo    install what is missing, build, and run a real study"
	@echo "make build   build/release/vbo"
	@echo "make test    build and run every test"
	@echo "make format  clang-format over the tree;  make tidy  clang-tidy over the tree"

bootstrap:
	@scripts/bootstrap test

build: bootstrap
	@cmake --preset release --log-level=WARNING
	@cmake --build --preset release -j $(JOBS)

test: build
	@ctest --preset release -j $(JOBS)

demo: build
	@scripts/demo

format:
	@git ls-files '*.cpp' '*.hpp' | xargs clang-format -i

tidy: build
	@scripts/tidy

clean:
	@rm -rf build
