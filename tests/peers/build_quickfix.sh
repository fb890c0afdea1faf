#!/bin/sh
# Builds the QuickFIX acceptor into a folder and prints its path. Exit 77, with the reason on standard error: it cannot be built here.
set -eu
folder=${1:?usage: build_quickfix.sh FOLDER}
source=$(dirname "$0")/quickfix_acceptor.cpp
program=$folder/quickfix_acceptor
if ! command -v g++ >/dev/null; then
    echo "needs g++" >&2
    exit 77
fi
if ! echo '#include <quickfix/Application.h>' | g++ -std=c++14 -w -fsyntax-only -x c++ - 2>/dev/null; then
    echo "needs QuickFIX: apt-get install libquickfix-dev" >&2
    exit 77
fi
if [ ! -x "$program" ] || [ "$source" -nt "$program" ]; then
    mkdir -p "$folder"
    # Tests that run side by side may all build it: each under its own name, renamed at the end.
    g++ -O2 -std=c++14 -w -o "$program.$$" "$source" -lquickfix -pthread >&2
    mv "$program.$$" "$program"
fi
echo "$program"
