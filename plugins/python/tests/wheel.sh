#!/usr/bin/env bash
# Installs a wheel with each Python that is given, in a new HOME without an environment, and runs a simulation, an environment
# and the program in it. Prints sizes, times and hashes; all hashes have to be equal.
#
#     maturin build --release -m plugins/python/native/Cargo.toml    # or: pip wheel --no-deps ./plugins/python
#     plugins/python/tests/wheel.sh morse_sim-….whl python3.9 python3.13
set -euo pipefail
wheel=$(realpath "$1")
shift
repository=$(cd "$(dirname "$0")/../../.." && pwd)
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
cp -r "$repository/scenes" "$place"
echo "$(basename "$wheel"): $(stat -c %s "$wheel") bytes"

# Runs a command with nothing but a HOME, and the folder of the environment in PATH.
alone() {
    (cd "$place" && env -i HOME="$place/home" PATH="$place/$version/bin:/usr/bin:/bin" PIP_DISABLE_PIP_VERSION_CHECK=1 \
        PIP_CERT="${PIP_CERT:-}" PIP_CACHE_DIR="$place/cache" "$@")
}

hashes=()
for python in "$@"; do
    version=$("$python" -c 'import platform; print(platform.python_version())')
    rm -rf "$place/home"
    mkdir "$place/home"
    "$python" -m venv "$place/$version"
    alone pip install --quiet numpy
    # Gymnasium does not support the oldest versions.
    alone pip install --quiet 'gymnasium>=1.0' 2>/dev/null || echo "$version: no gymnasium"
    began=$(date +%s%N)
    alone pip install --quiet --no-index "$wheel"
    installed=$((($(date +%s%N) - began) / 1000000))
    cat >"$place/run.py" <<'PYTHON'
import json, sys, time
began = time.perf_counter()
import morse_sim as ms
simulation = ms.Simulation("scenes/patrol.ron", seed=3)
loaded = time.perf_counter() - began
simulation.run(1.0)
try:
    import gymnasium, morse_sim.gym
    environment = gymnasium.make("morse_sim/Balance-v0")
    environment.reset(seed=1)
    environment.step(environment.action_space.sample())
    gym = "an environment steps"
except ModuleNotFoundError:
    gym = "no gymnasium"
print(f"import and load {1000 * loaded:.0f} ms; {gym}", file=sys.stderr)
print(simulation.state_hash)
PYTHON
    hash=$(alone python run.py)
    program=$(alone morse-sim scenes/patrol.ron --seed 3 --until 1s --json | tail -1 | alone python -c 'import json, sys; print(json.load(sys.stdin)["state_hash"])')
    alone morse --version >/dev/null
    echo "$version: installed in $installed ms, state $hash, of the program $program"
    hashes+=("$hash" "$program")
done
test "$(printf '%s\n' "${hashes[@]}" | sort -u | wc -l)" = 1
