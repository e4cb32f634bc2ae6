"""The guide's page for who comes from MORSE, and the README: what they show is what is there, and works."""
from __future__ import annotations

import os
import re
import subprocess
import sys
import time

from . import ROOT
from .support import LAUNCHER, Room, needs_program, needs_services, program, wait_for_port
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
        ran = subprocess.run(
            [str(program()), "run", "patrol.ron", "--until", "0.5s"], cwd=self.folder, capture_output=True, text=True
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
        client = subprocess.run(
            [sys.executable, os.path.join(EXAMPLES, "patrol_client.py")],
            cwd=self.folder, env={**os.environ, "PYTHONPATH": COMPAT}, capture_output=True, text=True, timeout=120,
        )
        self.assertEqual(client.returncode, 0, client.stderr)
        self.assertRegex(client.stdout, r"^on the way from [\d.]+\nArrived\nnearest thing: \d")
        # It starts at 2 m, and may have gone a little way by then.
        begun = float(client.stdout.split("\n")[0].rsplit(" ", 1)[1])
        self.assertTrue(1.999 < begun < 3.0, client.stdout)
        self.assertEqual(running.wait(30), 0)
        self.assertIn("EXITING SIMULATION", self.read("log"))
