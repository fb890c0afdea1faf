#!/bin/sh
# Resolves requirements.in into requirements.txt again, every version and hash pinned. For maintainers: needs the network.
set -e
cd "$(dirname "$0")/.."
python3 -m venv build/lock
build/lock/bin/pip install --quiet pip-tools==7.6.2
build/lock/bin/pip-compile --quiet --generate-hashes --allow-unsafe --strip-extras --no-annotate --no-header \
    --no-emit-find-links --no-emit-index-url --no-emit-trusted-host --output-file build/lock/requirements.txt requirements.in
{
    echo "# requirements.in resolved: every version and hash pinned (tools/lock.sh makes it anew)."
    cat build/lock/requirements.txt
} >requirements.txt
