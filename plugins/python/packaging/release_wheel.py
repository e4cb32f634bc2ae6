"""Makes the wheel that is published: compiled for the simulations that `training.py` runs.

    pip install "maturin>=1.9,<2"
    python plugins/python/packaging/release_wheel.py dist

The compiler gets a profile of the code that simulations execute. The wheel is built twice: with counters, which write the profile
while `training.py` runs, and with the profile. The states of all simulations must be equal with both wheels, bit for bit; if they
are not, there is no wheel. Needs Rust, and `llvm-profdata` of the same LLVM as `rustc`: `rustup component add llvm-tools`, or the
package `llvm-…` of the system. It takes two release builds, and a minute.
"""
import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Dict, List, Optional

PACKAGE = Path(__file__).resolve().parent.parent
REPOSITORY = PACKAGE.parent.parent


def output(*command: str) -> str:
    """Output of a command."""
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def compiler() -> Dict[str, str]:
    """Properties of the compiler: `host`, `LLVM version` and so on."""
    return dict(line.split(": ", 1) for line in output("rustc", "-vV").splitlines() if ": " in line)


def profdata(about: Dict[str, str]) -> str:
    """Path of `llvm-profdata`, of the same version as the LLVM of the compiler."""
    version = about["LLVM version"].split(".")[0]
    beside = Path(output("rustc", "--print", "sysroot").strip(), "lib", "rustlib", about["host"], "bin", "llvm-profdata")
    for name in (str(beside), f"llvm-profdata-{version}", "llvm-profdata"):
        path = shutil.which(name)
        found = re.search(r"LLVM version (\d+)", output(path, "--version")) if path else None
        if path and found and found.group(1) == version:
            return path
    remedy = f"`rustup component add llvm-tools`, or install the package llvm-{version}"
    sys.exit(f"there is no llvm-profdata of LLVM {version}: {remedy}")


def build(directory: Path, target: str, flags: str, name: str) -> Path:
    """Builds a wheel with these flags of the compiler, and returns it."""
    environment = {**os.environ, "RUSTFLAGS": f"{os.environ.get('RUSTFLAGS', '')} {flags}".strip()}
    environment["CARGO_TARGET_DIR"] = str(REPOSITORY / "target" / name)
    # With `--target`, programs of the build itself are built without the flags.
    command = ["maturin", "build", "--release", "--target", target, "--out", str(directory)]
    subprocess.run(command, cwd=PACKAGE, env=environment, check=True)
    (wheel,) = directory.glob("*.whl")
    return wheel


def train(wheel: Path, folder: Path, profiles: Optional[Path]) -> str:
    """Runs the training with a wheel in an environment of its own. Returns the state hashes."""
    subprocess.run([sys.executable, "-m", "venv", str(folder)], check=True)
    python = str(folder / ("Scripts" if os.name == "nt" else "bin") / "python")
    subprocess.run([python, "-m", "pip", "install", "--quiet", f"{wheel}[gym]"], check=True)
    environment = dict(os.environ)
    if profiles is not None:
        environment["LLVM_PROFILE_FILE"] = str(profiles / "%p-%m.profraw")
    command: List[str] = [python, str(PACKAGE / "packaging" / "training.py"), str(REPOSITORY / "scenes")]
    ran = subprocess.run(command, env=environment, check=True, stdout=subprocess.PIPE, text=True)
    return ran.stdout


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("output", type=Path, help="folder of the wheel")
    out = parser.parse_args().output
    about = compiler()
    tool = profdata(about)
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        # A flag with another path would compile everything anew.
        profiles = REPOSITORY / "target" / "profiles"
        merged = profiles / "merged.profdata"
        shutil.rmtree(profiles, ignore_errors=True)
        profiles.mkdir(parents=True)
        counting = build(folder / "counting", about["host"], f"-Cprofile-generate={profiles}", "counting")
        expected = train(counting, folder / "first", profiles)
        raw = [str(file) for file in profiles.glob("*.profraw")]
        subprocess.run([tool, "merge", "-o", str(merged), *raw], check=True)
        wheel = build(folder / "profiled", about["host"], f"-Cprofile-use={merged}", "profiled")
        if train(wheel, folder / "second", None) != expected:
            sys.exit("the states of the simulations differ between the two builds")
        out.mkdir(parents=True, exist_ok=True)
        shutil.copy(wheel, out)
        print(out / wheel.name)


if __name__ == "__main__":
    main()
