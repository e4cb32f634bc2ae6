#!/usr/bin/env bash
# Compares the hash of every build: the debug and the release build, and with `--all` four more, run every scene, with
# hashes chained over each tick (D3 of the guide's page on the same bits). Run it by hand, or once a week; the builds
# take long.
#
#     tests/prove_builds.sh [--all] [STEPS]
set -euo pipefail
cd "$(dirname "$0")/.."
export CARGO_TERM_COLOR=never
all=
if [[ ${1-} == --all ]]; then
    all=1
    shift
fi
steps=${1:-120}
target=${CARGO_TARGET_DIR:-target}

# The name of each build, and its program.
declare -A programs
build() {
    local name=$1
    shift
    echo "building: $name"
    cargo build --locked --quiet --bin morse-sim "$@"
}
build debug
programs[debug]=$(realpath "$target/debug/morse-sim")
build release --release
programs[release]=$(realpath "$target/release/morse-sim")
if [[ -n $all ]]; then
    variant() {
        local name=$1 folder=$target/prove_builds/$1
        shift
        env "$@" CARGO_TARGET_DIR="$folder" cargo build --locked --quiet --release --bin morse-sim
        programs[$name]=$(realpath "$folder/release/morse-sim")
    }
    variant small CARGO_PROFILE_RELEASE_OPT_LEVEL=s
    variant plain CARGO_PROFILE_RELEASE_OPT_LEVEL=1
    variant whole CARGO_PROFILE_RELEASE_LTO=fat CARGO_PROFILE_RELEASE_CODEGEN_UNITS=1
    variant native RUSTFLAGS="-C target-cpu=native"
fi

room=$(mktemp -d)
trap 'rm -rf "$room"' EXIT
cp -r scenes "$room"
cd "$room"

failed=0 scenes=0
for scene in scenes/*.ron scenes/*/*.ron; do
    expected=
    for name in release "${!programs[@]}"; do
        hash=$("${programs[$name]}" "$scene" --steps "$steps" --hash every --json 2>/dev/null |
            sed -n 's/.*"state_hash":"\([0-9a-f]*\)".*/\1/p' || true)
        expected=${expected:-$hash}
        if [[ -z $hash || $hash != "$expected" ]]; then
            echo "$scene: $name DIFFERS: ${hash:-no summary} instead of ${expected:-a hash}"
            failed=1
        fi
    done
    echo "$scene $expected"
    scenes=$((scenes + 1))
done
echo "$scenes scenes, ${#programs[@]} builds, $steps ticks each"
if ((failed)); then
    echo "the hashes differ"
    exit 1
fi
echo "all hashes agree"
