"""Programs in the style of MORSE's own tests: with MORSE's own harness and client, unmodified, out of Debian's package;
and with those that are here for who has no MORSE."""
from __future__ import annotations

import glob
import os
import shutil
import subprocess
import sys
from typing import Optional

from . import ROOT
from .require import left_out, needs
from .support import Room, execute, needs_services, program, wait_for_port

CACHE = os.environ.get("MORSE_CACHE") or os.path.join(ROOT, "..", "..", "target", "python-morse")
COMPAT = os.path.join(ROOT, "src", "morse_sim", "compat")
NEW_PYTHON = os.path.join(COMPAT, "pymorse_on_new_python")
PACKAGE = "python3-morse-simulator"


def debian() -> Optional[str]:
    """The folder with Debian's `morse` and `pymorse`; it is downloaded once."""
    paths = glob.glob(os.path.join(CACHE, "usr", "lib", "python3", "dist-packages", "pymorse"))
    if paths:
        return os.path.abspath(os.path.dirname(paths[0]))
    if not shutil.which("apt-get") or not shutil.which("dpkg"):
        return None
    os.makedirs(CACHE, exist_ok=True)
    try:
        subprocess.run(["apt-get", "download", PACKAGE], cwd=CACHE, check=True, timeout=120, capture_output=True)
        archive = glob.glob(os.path.join(CACHE, f"{PACKAGE}_*.deb"))[0]
        subprocess.run(["dpkg", "-x", archive, CACHE], check=True, timeout=60, capture_output=True)
    except (OSError, IndexError, subprocess.SubprocessError):
        return None
    return debian() if glob.glob(os.path.join(CACHE, "usr", "lib", "python3", "dist-packages", "pymorse")) else None


class Programs(Room):
    """Runs the files of the folder `harness`."""

    def run_program(self, name: str, *paths: str, rtf: str = "") -> None:
        wait_for_port()
        # The launcher finds the simulator in PATH: the harness passes the environment on.
        environment = {
            **os.environ,
            "PYTHONPATH": os.pathsep.join(paths),
            "MORSE_ROOT": ROOT,
            "MORSE_SIM": str(program()),
            "MORSE_RTF": rtf,
        }

        def run() -> subprocess.CompletedProcess[str]:
            try:
                return execute(
                    [sys.executable, os.path.join(ROOT, "tests", "harness", f"{name}_testing.py")], cwd=self.folder, env=environment
                )
            except AssertionError as late:
                return subprocess.CompletedProcess([name], 1, "", str(late))

        ran = run()
        if ran.returncode != 0:
            # These programs wait by the clock on the wall, as MORSE's do: a machine that is busy just then may fail one. A
            # mistake fails twice.
            print(f"{name}: once more, after: {ran.stderr}", file=sys.stderr)
            wait_for_port()
            ran = run()
        logs = "".join(self.read(log) for log in os.listdir(self.folder) if log.endswith(".log"))
        self.assertEqual(ran.returncode, 0, ran.stdout + ran.stderr + logs)
        self.assertIn("\nOK", ran.stderr)
        self.assertNotIn("Ran 0 tests", ran.stderr)


@needs("pymorse", sys.version_info < (3, 12), "pymorse needs asyncore, which Python 3.12 has dropped")
@needs_services
class Harness(Programs):
    """As MORSE's tests are run."""

    def run_harness(self, name: str, rtf: str = "") -> None:
        packages = debian()
        if packages is None:
            left_out("pymorse", f"Debian's {PACKAGE} cannot be had")
        self.run_program(name, NEW_PYTHON, packages, rtf=rtf)

    def test_driving(self) -> None:
        self.run_harness("drive")

    def test_waypoints(self) -> None:
        self.run_harness("waypoint")

    def test_ticks(self) -> None:
        self.run_harness("ticks")

    def test_rules_of_motion(self) -> None:
        self.run_harness("rules", rtf="4")

    def test_mistakes(self) -> None:
        self.run_harness("mistake")

    def test_cameras(self) -> None:
        self.run_harness("cameras", rtf="4")

    def test_changed_data(self) -> None:
        self.run_harness("modified", rtf="4")

    def test_hands(self) -> None:
        self.run_harness("hand", rtf="4")

    def test_reaching(self) -> None:
        self.run_harness("reach", rtf="4")

    def test_compasses(self) -> None:
        self.run_harness("compass", rtf="4")

    def test_lamps(self) -> None:
        self.run_harness("lamp", rtf="4")

    def test_fires(self) -> None:
        self.run_harness("fires", rtf="4")

    def test_the_hall(self) -> None:
        self.run_harness("hall", rtf="4")

    def test_two_arms(self) -> None:
        self.run_harness("two_arms", rtf="3")


@needs_services
class WithoutMorse(Programs):
    """On any Python: a program takes the classes of tests and the client that are here for its own."""

    def run_here(self, name: str, rtf: str = "4") -> None:
        self.run_program(name, COMPAT, rtf=rtf)

    def test_what_the_robot_does(self) -> None:
        self.run_here("itself")

    def test_what_is_around(self) -> None:
        self.run_here("around")

    def test_cameras(self) -> None:
        self.run_here("cameras")

    def test_moving(self) -> None:
        self.run_here("moving")

    def test_flying(self) -> None:
        self.run_here("flying")

    def test_arms(self) -> None:
        self.run_here("arms")

    def test_asking(self) -> None:
        self.run_here("asking")

    def test_time(self) -> None:
        self.run_here("time", rtf="")

    def test_names(self) -> None:
        self.run_here("names")

    def test_mistakes(self) -> None:
        self.run_here("mistake")
