# The few commands a newcomer needs. Everything else is plain CMake: see CMakePresets.json.
JOBS ?= $(shell nproc)

.PHONY: help program build test debug clang portable wheel demo check fuzz bench sanitize coverage package release format tidy clean

help:
	@echo "make demo     install what is missing, build the program, and run a real study"
	@echo "make program  build/release/vbo alone"
	@echo "make test     build everything and run every test"
	@echo "make debug    unit tests without optimization, with assertions of vbo and of the standard library"
	@echo "make check    clang without warnings, tests under sanitizers, clang-tidy, coverage (takes two hours on two cores)"
	@echo "make fuzz     libFuzzer on everything that is read from outside, a minute each (MINUTES=60 for longer)"
	@echo "make bench    evaluations a second of the loop, appended to research/bench/loop.csv, and the table of it"
	@echo "make package  a .deb for Debian 12 in build/package"
	@echo "make portable whether all but src/exec compiles with clang and libc++, without headers of Linux"
	@echo "make wheel    Python wheels in build/wheels, tried in a clean environment"
	@echo "make release  source archive, .deb, wheels, checksums and notes in build/release-files"
	@echo "make format   clang-format over the tree;  make tidy  clang-tidy over the tree"

# Tests and benchmarks are configured too, but only what the program needs is compiled.
program:
	@scripts/bootstrap program
	@echo "vbo: compiling the program; from nothing that takes some three minutes on two cores" >&2
	@cmake --preset release --log-level=WARNING
	@cmake --build --preset release --target vbo_program -j $(JOBS)

build:
	@scripts/bootstrap test
	@cmake --preset release --log-level=WARNING
	@cmake --build --preset release -j $(JOBS)

# The Python module is built from the objects of build/release; its tests run in build/python.
test:
	@scripts/bootstrap test
	@scripts/python-env
	@cmake --preset release --log-level=WARNING -DVBO_BUILD_PYTHON=ON
	@cmake --build --preset release -j $(JOBS)
	@ctest --preset release -j $(JOBS)

debug:
	@scripts/bootstrap test
	@cmake --preset dev --log-level=WARNING
	@cmake --build --preset dev --target unit_tests -j $(JOBS)
	@ctest --preset dev -L unit -j $(JOBS)

# The library and the program; a warning is an error.
clang:
	@scripts/bootstrap check
	@cmake --preset clang --log-level=WARNING
	@cmake --build --preset clang --target vbo vbo_program -j $(JOBS)

# All but src/exec, as a system that is not Linux would compile it.
portable:
	@scripts/bootstrap program clang-19 libc++-19-dev libc++abi-19-dev
	@scripts/portable

wheel:
	@scripts/bootstrap program python3-venv python3-dev
	@scripts/wheel $(PYTHONS)

demo: program
	@scripts/demo

check: clang portable sanitize coverage
	@scripts/tidy

MINUTES ?= 1
fuzz:
	@scripts/bootstrap check libclang-rt-14-dev
	@cmake --preset fuzz --log-level=WARNING
	@cmake --build build/fuzz --target fuzzers -j $(JOBS)
	@scripts/fuzz $(MINUTES)

bench:
	@scripts/bootstrap program
	@cmake --preset release --log-level=WARNING
	@cmake --build --preset release --target loop -j $(JOBS)
	@scripts/bench

sanitize coverage:
	@scripts/bootstrap check
	@scripts/$@

package:
	@scripts/bootstrap program dpkg-dev
	@cmake --preset package --log-level=WARNING
	@cmake --build --preset package -j $(JOBS)
	@cd build/package && cpack -G DEB
	@echo "vbo: scripts/package-test tries it on a bare Debian 12" >&2

release:
	@scripts/release $(PYTHONS)

format:
	@git ls-files '*.cpp' '*.hpp' | xargs clang-format -i

tidy:
	@scripts/bootstrap check
	@scripts/tidy

clean:
	@rm -rf build
