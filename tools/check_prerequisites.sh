#!/bin/sh
# Names each missing prerequisite in one line with what to do about it, and fails if there is one.
# What is optional is named too, with what is skipped without it (once, when the environment is set up: --optional).
cd "$(dirname "$0")/.." || exit 1
missing=0

need() {
    echo "missing: $1" >&2
    missing=1
}

rust_version=$(sed -n 's/^rust-version *= *"\(.*\)"/\1/p' Cargo.toml)

# at_least HAVE WANT: dotted versions, compared by number.
at_least() {
    [ "$(printf '%s\n%s\n' "$2" "$1" | sort -t. -k1,1n -k2,2n -k3,3n | head -n 1)" = "$2" ]
}

if ! command -v python3 >/dev/null; then
    need "python3 3.11 or newer (Debian: apt install python3 python3-venv)"
else
    have=$(python3 -c 'import sys; print("%d.%d" % sys.version_info[:2])')
    if ! at_least "$have" 3.11; then
        need "python3 3.11 or newer, this one is $have (Debian 12 has 3.11; elsewhere python.org or pyenv)"
    elif ! python3 -c 'import ensurepip' 2>/dev/null && ! python3 -m pip --version >/dev/null 2>&1; then
        need "python3's venv module (Debian: apt install python3-venv)"
    fi
fi

if ! command -v cargo >/dev/null; then
    need "cargo $rust_version or newer (rustup.rs installs it)"
else
    have=$(cargo --version | sed 's/^cargo \([0-9.]*\).*/\1/')
    at_least "$have" "$rust_version" || need "cargo $rust_version or newer, this one is $have (rustup.rs installs it; Debian 12's own is too old)"
fi

for tool in g++ make; do
    command -v "$tool" >/dev/null || need "$tool (Debian: apt install $tool)"
done

if [ "$1" = --optional ]; then
    optional() {
        echo "optional: $1"
    }
    command -v ccache >/dev/null || optional "ccache is not here: models are recompiled in full when the RTL changes (Debian: apt install ccache)"
    [ -n "$(.venv/bin/find_libpython 2>/dev/null)" ] ||
        optional "libpython3 is not here: the cocotb tests of single modules are skipped (Debian: apt install libpython3.11)"
    if [ "$(id -u)" != 0 ] || ! command -v ip >/dev/null; then
        optional "root and iproute2 are not both here: the tests against the Linux kernel's network are skipped"
    fi
fi
exit $missing
