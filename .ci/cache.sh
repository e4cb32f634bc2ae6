#!/usr/bin/env bash
# Cache of compiled dependencies for `.ci/run`: target directories that outlive the checkout.
#
# It is in the directory MORSE_CI_CACHE, or in the user's cache directory if this directory exists:
#     mkdir -p "${XDG_CACHE_HOME:-$HOME/.cache}/morse-sim-ci"
# Without either, or with an empty MORSE_CI_CACHE, everything is built from scratch in the checkout.
# A run locks one of its slots. A slot is deleted when the compiler or a version of a dependency changes, and when it is
# larger than MORSE_CI_CACHE_GB. Our own crates are not kept.

# Sets CARGO_TARGET_DIR, unless the caller has set it.
open_cache() {
    local folder slot
    folder=$(cache_folder)
    if [ -n "${CARGO_TARGET_DIR:-}" ] || [ -z "$folder" ]; then
        echo "no cache of dependencies: ${CARGO_TARGET_DIR:-target} is used as it is"
        return 0
    fi
    if ! command -v flock >/dev/null || ! mkdir -p "$folder" || ! [ -w "$folder" ]; then
        echo "no cache of dependencies: $folder cannot be written, or there is no flock"
        return 0
    fi
    folder=$(cd "$folder" && pwd)
    for slot in 1 2; do
        # The lock stays open, also in child processes, so that no other run gets the slot while anything writes there.
        exec {cache_lock}>"$folder/$slot.lock"
        if flock --nonblock "$cache_lock"; then
            export CARGO_TARGET_DIR=$folder/$slot
            keep_dependencies "$CARGO_TARGET_DIR"
            echo "cache of dependencies: $CARGO_TARGET_DIR, $(megabytes "$CARGO_TARGET_DIR") MB"
            return 0
        fi
        exec {cache_lock}>&-
    done
    echo "no cache of dependencies: other runs have all slots of $folder"
}

cache_folder() {
    local usual=${XDG_CACHE_HOME:-${HOME:-}/.cache}/morse-sim-ci
    if [ -n "${MORSE_CI_CACHE+set}" ]; then
        echo "$MORSE_CI_CACHE"
    elif [ -d "$usual" ]; then
        echo "$usual"
    fi
}

# Directory of programs that the checks need and that outlive a run, if there is a cache.
tools_folder() {
    local folder
    folder=$(cache_folder)
    if [ -n "$folder" ] && mkdir -p "$folder/tools" 2>/dev/null; then
        realpath "$folder/tools"
    else
        realpath -m "${CARGO_TARGET_DIR:-target}/tools"
    fi
}

# Removes everything from a slot that later runs cannot use.
keep_dependencies() {
    local target=$1 key
    key=$({ rustc -vV && grep '^checksum' Cargo.lock; } | sha256sum)
    if [ "$(cat "$target/.key" 2>/dev/null)" != "$key" ]; then
        rm -rf "$target"
    fi
    mkdir -p "$target"
    forget_own "$target"
    if [ "$(megabytes "$target")" -gt $((${MORSE_CI_CACHE_GB:-12} * 1024)) ]; then
        rm -rf "$target"
        mkdir -p "$target"
    fi
    echo "$key" >"$target/.key"
}

megabytes() {
    du --summarize --block-size=1M "$1" | cut -f1
}

# Removes everything except crates from registries, which Cargo identifies by version and checksum. Cargo identifies our
# own crates by their path in the workspace and by time: sources of this checkout may be older than the files of another
# checkout, and would be taken for compiled.
forget_own() {
    local target=$1 known path name
    find "$target" -mindepth 1 -maxdepth 1 ! -name debug ! -name .key -exec rm -rf {} +
    if ! [ -d "$target/debug/.fingerprint" ]; then
        rm -rf "$target/debug"
        return 0
    fi
    find "$target/debug" -mindepth 1 -maxdepth 1 ! -name .fingerprint ! -name build ! -name deps -exec rm -rf {} +
    known=$'\n'$(registry_packages)$'\n'
    for path in "$target"/debug/.fingerprint/* "$target"/debug/build/*; do
        name=${path##*/}
        # The name without the hash.
        [[ $known == *$'\n'"${name%-*}"$'\n'* ]] || rm -rf "$path"
    done
    # Cargo would compile crates without a fingerprint again, and overwrite these files: they only take space.
    { grep -sL '/registry/src/' "$target"/debug/deps/*.d || true; } | while read -r path; do
        path=${path%.d}
        rm -f "$path" "$path".* "${path%/*}/lib${path##*/}".*
    done
}

# Names in Cargo.lock of packages from registries, without any others.
registry_packages() {
    awk -F'"' '
        function done_with() { if (source ~ /^registry\+/) known[name]; else other[name]; source = "" }
        /^\[\[package\]\]/ { if (name) done_with() }
        /^name = / { name = $2 }
        /^source = / { source = $2 }
        END { done_with(); for (name in known) if (!(name in other)) print name }
    ' Cargo.lock
}
