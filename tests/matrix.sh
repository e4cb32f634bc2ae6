#!/usr/bin/env bash
# One hash for every way to run: 20 runs of each scene on 1, 2 and 4 threads, as fast as possible and (two
# scenes) in real time, debug and release builds. By hand, or once a week; it takes some minutes.
# The order of commands of clients is not under test here; no scene has any.
set -euo pipefail
cd "$(dirname "$0")/.."
export CARGO_TERM_COLOR=never
steps=${1:-300}
runs=${2:-20}
here=$PWD
cargo build --locked --quiet
cargo build --locked --quiet --release
room=$(mktemp -d)
trap 'rm -rf "$room"' EXIT
cp -r scenes assets "$room"
cd "$room"

failed=0
hash_of() {
    "$here/target/$1/morse-sim" "$2" --json --threads "$3" "${@:4}" 2>/dev/null |
        sed -n 's/.*"state_hash":"\([0-9a-f]*\)".*/\1/p'
}
expect() {
    local hash
    hash=$(hash_of "$@" || true)
    if [[ $hash != "$expected" ]]; then
        echo "  DIFFERS ($*): ${hash:-no summary}"
        failed=1
    fi
}

for scene in scenes/*.ron scenes/*/*.ron; do
    expected=$(hash_of release "$scene" 1 --steps "$steps" || true)
    echo "$scene ${expected:-no summary}"
    if [[ -z $expected ]]; then
        failed=1
        continue
    fi
    for ((run = 0; run < runs; run++)); do
        threads=(1 2 4)
        expect release "$scene" "${threads[run % 3]}" --steps "$steps"
    done
    expect debug "$scene" 1 --steps "$steps"
    expect debug "$scene" 4 --steps "$steps"
    case $scene in
    */table.ron | */patrol.ron) expect release "$scene" 2 --steps "$steps" --rtf 1 ;;
    esac
done
if ((failed)); then
    echo "the hashes differ"
    exit 1
fi
echo "all hashes agree"
