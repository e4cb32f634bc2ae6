"""`pip install`, without a network; and MORSE's own client beside what was installed."""
from __future__ import annotations

import importlib.util
import os
import subprocess
import sys

from . import ROOT
from .require import left_out, needs
from .support import Room
from .test_harness import PACKAGE, debian

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
        pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "install", "--quiet", "--no-index"]
        ran = subprocess.run([*pip, "--target", self.target, ROOT], capture_output=True, text=True, timeout=300)
        self.assertEqual(ran.returncode, 0, ran.stdout + ran.stderr)

    def test_what_is_installed_works(self) -> None:
        environment = {**os.environ, "PYTHONPATH": self.target, "HOME": self.folder}
        self.write("script.py", "from morse.builder import *\nrobot = ATRV()\nenv = Environment('empty')\n")
        command = os.path.join(self.target, "bin", "morse")
        ran = subprocess.run(
            [sys.executable, command, "migrate", "script.py"],
            cwd=self.folder, env=environment, capture_output=True, text=True,
        )
        self.assertEqual(ran.returncode, 0, ran.stderr)
        self.assertIn('"robot": (', self.read("script.ron"))
        for path in ("compat/morse/testing/testing.py", "compat/pymorse/__init__.py", "py.typed"):
            self.assertTrue(os.path.isfile(os.path.join(self.target, "morse_sim", path)), path)

    @needs("pymorse", sys.version_info < (3, 12), "pymorse needs asyncore, which Python 3.12 has dropped")
    def test_morses_own_client_can_close(self) -> None:
        packages = debian()
        if packages is None:
            left_out("pymorse", f"Debian's {PACKAGE} cannot be had")
        environment = {**os.environ, "PYTHONPATH": packages}
        ran = subprocess.run(
            [sys.executable, "-W", "ignore", "-c", CLOSES, self.target], env=environment, capture_output=True, text=True
        )
        self.assertEqual(ran.returncode, 0, ran.stderr)
