"""`pip install`, without a network; and MORSE's own client beside what was installed."""
from __future__ import annotations

import importlib.util
import os
import shutil
import subprocess
import sys

from . import ROOT
from .require import left_out, needs
from .support import Room, execute
from .test_harness import PACKAGE, debian

# Without the native core, which takes minutes to compile.
PURE = ["--config-settings", "pure=true"]
CLOSES = """
import site, sys
site.addsitedir(sys.argv[1])
import pymorse.pymorse as client
component = client.Component(None, "pose", "robot.pose")
assert "close" in dir(component) and "fqn" in dir(component)
"""


@needs("python", importlib.util.find_spec("pip"), "there is no pip")
class Installing(Room):
    """Into a folder, as into any other."""

    def setUp(self) -> None:
        super().setUp()
        self.target = self.path("site")
        pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "install", "--quiet", "--no-index", *PURE]
        ran = execute([*pip, "--target", self.target, ROOT], timeout=300)
        self.assertEqual(ran.returncode, 0, ran.stdout + ran.stderr)

    def test_what_is_installed_works(self) -> None:
        environment = {**os.environ, "PYTHONPATH": self.target, "HOME": self.folder}
        self.write("script.py", "from morse.builder import *\nrobot = ATRV()\nenv = Environment('empty')\n")
        command = os.path.join(self.target, "bin", "morse")
        ran = execute(
            [sys.executable, command, "migrate", "script.py"],
            cwd=self.folder, env=environment,
        )
        self.assertEqual(ran.returncode, 0, ran.stderr)
        self.assertIn('"robot": (', self.read("script.ron"))
        for path in ("compat/morse/testing/testing.py", "compat/pymorse/__init__.py", "py.typed"):
            self.assertTrue(os.path.isfile(os.path.join(self.target, "morse_sim", path)), path)

    def python(self, script: str, *arguments: str, path: str = "", wanted: int = 0) -> "subprocess.CompletedProcess[str]":
        """Runs a script with what was installed; `path` comes first."""
        self.write("program.py", f"import site\nsite.addsitedir({self.target!r})\n{script}")
        ran = execute(
            [sys.executable, self.path("program.py"), *arguments],
            cwd=self.folder, env={**os.environ, "PYTHONPATH": path},
        )
        self.assertEqual(ran.returncode, wanted, ran.stdout + ran.stderr)
        return ran

    def test_who_has_no_morse_has_its_names(self) -> None:
        ran = self.python(
            "from pymorse import Morse\nimport morse_sim.client, pymorse\n"
            "from morse.testing.testing import MorseTestCase\nimport morse.builder\n"
            "assert Morse is morse_sim.client.Morse\nprint(pymorse.__file__)\n"
            "try:\n    import morsel\nexcept ModuleNotFoundError:\n    print('no other name')\n"
        )
        self.assertIn(os.path.join("morse_sim", "compat", "pymorse"), ran.stdout)
        self.assertIn("no other name", ran.stdout)

    def test_whoever_has_them_keeps_them(self) -> None:
        """A copy beside the program, on the path, and one that a finder of its own finds."""
        for folder in (".", "lib", "elsewhere"):
            for name in ("morse", "pymorse"):
                os.makedirs(self.path(f"{folder}/{name}"), exist_ok=True)
                self.write(f"{folder}/{name}/__init__.py", f"FROM = '{folder}'\n")
        says = "import morse, pymorse\nprint(morse.FROM, pymorse.FROM)\n"
        self.assertEqual(self.python(says).stdout, ". .\n")
        for name in ("morse", "pymorse"):
            shutil.rmtree(self.path(name))
        self.assertEqual(self.python(says, path=self.path("lib")).stdout, "lib lib\n")
        later = (
            "import importlib.machinery, sys\nclass Later:\n    @staticmethod\n    def find_spec(name, path=None, target=None):\n"
            f"        return importlib.machinery.PathFinder.find_spec(name, [{self.path('elsewhere')!r}], target)\n"
            "sys.meta_path.append(Later)\n"
        )
        self.assertEqual(self.python(later + says).stdout, "elsewhere elsewhere\n")

    def test_a_pymorse_that_cannot_work_is_said(self) -> None:
        os.makedirs(self.path("lib/pymorse"))
        self.write("lib/pymorse/__init__.py", "from .pymorse import *\n")
        self.write("lib/pymorse/pymorse.py", "import asyncore\nFROM = 'lib'\n")
        says = "import pymorse\nprint(getattr(pymorse, 'FROM', pymorse.Morse if hasattr(pymorse, 'Morse') else None))\n"
        ran = self.python(says, path=self.path("lib"))
        if sys.version_info < (3, 12):
            self.assertEqual(ran.stdout, "lib\n")
            return
        self.assertIn("morse_sim.client.Morse", ran.stdout)
        self.assertEqual(ran.stderr.count("pip install pyasyncore pyasynchat"), 1, ran.stderr)
        # With them, it is the one that is installed.
        for name in ("asyncore", "asynchat"):
            self.write(f"lib/{name}.py", "")
        self.assertEqual(self.python(says, path=self.path("lib")).stdout, "lib\n")

    def test_it_knows_where_it_was_made(self) -> None:
        """What `morse add` writes finds the simulator and, without a network, every crate."""
        environment = {**os.environ, "PYTHONPATH": self.target, "HOME": self.folder}
        command = os.path.join(self.target, "bin", "morse")
        for words in (["create", "place"], ["add", "sensor", "nose", "place"]):
            ran = execute(
                [sys.executable, command, *words], cwd=self.folder, env=environment
            )
            self.assertEqual(ran.returncode, 0, ran.stderr)
        repository = os.path.realpath(os.path.join(ROOT, "..", ".."))
        self.assertIn(f'morse-sim = {{ path = "{repository}" }}', self.read("place/simulator/Cargo.toml"))

    @needs("pymorse", sys.version_info < (3, 12), "pymorse needs asyncore, which Python 3.12 has dropped")
    def test_morses_own_client_can_close(self) -> None:
        packages = debian()
        if packages is None:
            left_out("pymorse", f"Debian's {PACKAGE} cannot be had")
        environment = {**os.environ, "PYTHONPATH": packages}
        ran = execute(
            [sys.executable, "-W", "ignore", "-c", CLOSES, self.target], env=environment
        )
        self.assertEqual(ran.returncode, 0, ran.stderr)
