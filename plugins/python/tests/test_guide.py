"""The guide's page for who comes from MORSE, and the README: what they show is what is there, and works."""
from __future__ import annotations

import importlib.util
import os
import re
import shutil
import subprocess
import sys
import time

from . import ROOT
from .native import REPOSITORY, needs_native, site
from .require import left_out, needs
from .support import LAUNCHER, Room, execute, needs_program, needs_services, program, wait_for_port
from .test_harness import COMPAT

EXAMPLES = os.path.join(ROOT, "examples")
PAGE = os.path.join(ROOT, "..", "..", "src", "docs", "coming_from_morse.md")


def blocks(path: str, language: str) -> list:
    """The blocks of a page that are written in a language."""
    with open(path, encoding="utf-8") as page:
        return re.findall(rf"^```{language}\n(.*?)^```$", page.read(), re.MULTILINE | re.DOTALL)


def example(name: str) -> str:
    with open(os.path.join(EXAMPLES, name), encoding="utf-8") as file:
        return file.read()


AROUND = """
set -euo pipefail
wait_for() { for _ in {1..1200}; do if grep -q "$1" log; then return; fi; sleep 0.05; done; cat log; return 1; }
# What the page's first line makes is there; a simulator of one's own takes minutes, so that only its crates are found.
cargo() {
    case $1 in
    install) test "$*" = 'install --path .' ;;
    build) { [ -z "$HAS_CARGO" ] || command cargo tree --offline --quiet --manifest-path "$4" >tree; } &&
        mkdir -p place/simulator/target/release && cp "$PROGRAM" place/simulator/target/release/place-sim ;;
    esac
}
# Without a network, which would only be asked for a newer pip.
pip() { command pip --disable-pip-version-check "$@" --no-index --quiet; }
morse() {
    if [ "$1" != run ]; then command morse "$@"; return; fi
    # Emptied before the start: the log of the last run must not be taken for that of this one.
    : >log
    command morse "$@" >>log 2>&1 & running=$!
    wait_for 'SCENE INITIALIZED'
    if [ "$2" = place ]; then kill -INT $running; wait $running || true; fi
}
python3() { command python3 "$@"; case $1 in *patrol_client.py) wait $running && wait_for 'EXITING SIMULATION';; esac; }
morse-sim() { command morse-sim "$@" --until 0.5s; }
"""
"""Around the commands of the page: what runs for ever is ended."""

TESTING = """
from morse.testing.testing import MorseTestCase
from pymorse import Morse

class Drives(MorseTestCase):
    def setUpEnv(self):
        robot = ATRV()
        pose = Pose()
        robot.append(pose)
        pose.add_stream('socket')
        env = Environment('empty', fastmode=True)

    def test_pose(self):
        with Morse() as simulation:
            self.assertAlmostEqual(simulation.robot.pose.get()['x'], 0.0, delta=0.01)

if __name__ == "__main__":
    from morse.testing.testing import main
    main(Drives)
"""


IN_PROCESS = {
    "in_process.py": (r"[\d.]+ s: at -5\.4\d+ m, state [0-9a-f]{32}\n-0\.\d+ m from where the first one is\n", "numpy"),
    "plan_motion.py": (
        r"pairs that always meet: arm_1 and arm_2, arm_2 and arm_3\non the straight way: arm_2 meets post\n"
        r"\d+ configurations from \[0\.9, -0\.4, -0\.2\] to \[-0\.9, 0\.4, 0\.2\], none with a collision\n",
        "numpy",
    ),
    "kinds.py": (r"5\.\d m above the ground\n", "numpy"),
    "sweep.py": (r"environment\.rate=120: 6 of 6 arrive\nenvironment\.rate=60: 6 of 6 arrive\n", "numpy"),
    "learning.py": ("2 of 2 have reached the goal\n", "gymnasium"),
}
"""Examples in process: what they print, and what they need."""


@needs_native
class InProcess(Room):
    def test_examples_do_what_they_say(self) -> None:
        for name, (wanted, package) in IN_PROCESS.items():
            if importlib.util.find_spec(package) is None:
                left_out("python", f"there is no {package}: {name}")
            environment = {**os.environ, "PYTHONPATH": site(self.path(name)), "PYTHONDONTWRITEBYTECODE": "1"}
            command = [sys.executable, os.path.join(EXAMPLES, name)]
            ran = execute(command, cwd=REPOSITORY, env=environment, timeout=300)
            self.assertRegex(ran.stdout, f"^{wanted}$", ran.stderr)


    @needs("python", importlib.util.find_spec("gymnasium"), "there is no gymnasium: training")
    def test_a_task_is_learnt(self) -> None:
        """Some thousand steps are enough for a pole that stays up several times longer than by chance."""
        environment = {**os.environ, "PYTHONPATH": site(self.path("learning")), "PYTHONDONTWRITEBYTECODE": "1"}
        command = [sys.executable, os.path.join(EXAMPLES, "train.py"), "Balance-v0", "--iterations", "4", "--curve", "curve.csv"]
        ran = execute(command, cwd=self.folder, env=environment, timeout=600)
        self.assertEqual(ran.returncode, 0, ran.stderr)
        curve = [[float(number) for number in line.split(";")] for line in self.read("curve.csv").splitlines()[1:]]
        self.assertEqual(len(curve), 4)
        self.assertGreater(curve[-1][1], 3 * curve[0][1], curve)


@needs_services
@needs("python", importlib.util.find_spec("ensurepip") and shutil.which("bash"), "there is no bash, or no pip for new places")
class Followed(Room):
    """On a machine that has nothing but Python and the simulator: every command of the page, in its order."""

    def test_the_page_does_what_it_says(self) -> None:
        wait_for_port()
        for folder in ("home", "bin", "work"):
            os.mkdir(self.path(folder))
        os.symlink(str(program()), self.path("bin/morse-sim"))
        os.symlink(os.path.realpath(os.path.join(ROOT, "..")), self.path("work/plugins"))
        self.write("work/my_testing.py", TESTING)
        commands = "".join(blocks(PAGE, "sh"))
        for word in ("cargo install", "pip install", "morse check", "morse run", "morse migrate", "morse add", "cargo build"):
            self.assertIn(word, commands)
        python = os.path.dirname(os.path.realpath(sys.executable))
        kept = {name: os.environ[name] for name in ("CARGO_HOME", "RUSTUP_HOME") if name in os.environ}
        homes = {name: os.path.expanduser(path) for name, path in (("CARGO_HOME", "~/.cargo"), ("RUSTUP_HOME", "~/.rustup"))}
        cargo = os.path.dirname(shutil.which("cargo") or "/usr/bin/")
        # Not the folder of pyenv's shims, which goes by the home.
        path = os.pathsep.join([self.path("bin"), python, "/usr/bin", "/bin", cargo])
        environment = {
            **homes, **kept, "HOME": self.path("home"), "PATH": path, "MORSE_RTF": "4", "LANG": "C.UTF-8",
            "PROGRAM": os.path.realpath(str(program())), "HAS_CARGO": shutil.which("cargo") or "",
            "PYTHONDONTWRITEBYTECODE": "1",
        }
        ran = execute(
            ["bash", "-c", AROUND + commands], cwd=self.path("work"), env=environment,
            timeout=300,
        )
        said = ran.stdout + ran.stderr
        self.assertEqual(ran.returncode, 0, said)
        self.assertIn("morse_sim's own client: fine", said)
        self.assertRegex(said, r"on the way from [\d.]+\nArrived\nnearest thing: \d")
        self.assertRegex(said, r"Ran 2 tests .*\n\nOK")
        self.assertIn("simulated in", said)
        self.assertTrue(os.path.isfile(self.path("work/place/simulator/src/nose.rs")))
        self.assertIn("EXITING SIMULATION", self.read("work/log"))


class Guide(Room):
    """Its snippets are the files of the folder `examples`, and these are run."""

    def test_the_page_shows_the_files(self) -> None:
        self.assertEqual(blocks(PAGE, "python"), [example("patrol.py"), example("patrol_client.py")])
        self.assertEqual(blocks(PAGE, "ron"), [example("patrol.ron")])

    def test_its_commands_are_there(self) -> None:
        """Every `morse VERB` of the page and of the README is one, and every file that they name."""
        text = "".join(blocks(PAGE, "sh") + blocks(os.path.join(ROOT, "README.md"), "sh"))
        help_ = self.morse("--help").stdout
        verbs = set(re.findall(r"^morse (\w+)", text, re.MULTILINE))
        self.assertGreater(len(verbs), 4)
        for verb in verbs:
            self.assertIn(f"    {verb} ", help_)
        for path in re.findall(r"plugins/python[\w/.]*", text):
            self.assertTrue(os.path.exists(os.path.join(ROOT, "..", "..", path)), path)

    def test_migrating(self) -> None:
        self.write("patrol.py", example("patrol.py"))
        self.assertEqual(self.morse("migrate", "patrol.py").returncode, 0)
        self.assertEqual(self.read("patrol.ron"), example("patrol.ron"))

    @needs_program
    def test_the_file_runs_by_itself(self) -> None:
        self.write("patrol.ron", example("patrol.ron"))
        ran = execute(
            [str(program()), "run", "patrol.ron", "--until", "0.5s"], cwd=self.folder
        )
        self.assertEqual(ran.returncode, 0, ran.stderr)

    @needs_services
    def test_the_client_drives_the_script(self) -> None:
        wait_for_port()
        environment = {**os.environ, "MORSE_RTF": "4"}
        with open(self.path("log"), "w", encoding="utf-8") as log:
            running = subprocess.Popen(
                [sys.executable, LAUNCHER, "run", os.path.join(EXAMPLES, "patrol.py")],
                cwd=self.folder, env=environment, stdout=log, stderr=subprocess.STDOUT,
            )
        self.addCleanup(running.wait, 30)
        self.addCleanup(running.terminate)
        end = time.monotonic() + 60
        while "SCENE INITIALIZED" not in self.read("log"):
            self.assertLess(time.monotonic(), end, self.read("log"))
            time.sleep(0.05)
        client = execute(
            [sys.executable, os.path.join(EXAMPLES, "patrol_client.py")],
            cwd=self.folder, env={**os.environ, "PYTHONPATH": COMPAT}, timeout=120,
        )
        self.assertEqual(client.returncode, 0, client.stderr)
        self.assertRegex(client.stdout, r"^on the way from [\d.]+\nArrived\nnearest thing: \d")
        # It starts at 2 m, and may have gone a little way by then.
        begun = float(client.stdout.split("\n")[0].rsplit(" ", 1)[1])
        self.assertTrue(1.999 < begun < 3.0, client.stdout)
        self.assertEqual(running.wait(30), 0)
        self.assertIn("EXITING SIMULATION", self.read("log"))
