"""MORSE's classes of tests, for who has no MORSE: a test program that is written for them runs unchanged.

Each test builds the environment that `setUpEnv` describes, in a simulation of its own, and that in each of the time
modes that `main` is given.
"""
from __future__ import annotations

import inspect
import logging
import os
import socket
import subprocess
import sys
import tempfile
import time
import unittest
from typing import Any, Optional

from morse.core.morse_time import TimeStrategies
from morse.testing.exceptions import MorseTestingError

testlogger = logging.getLogger("morsetesting.general")

PORT = 4000
"""Where a simulation is asked to end."""

PATIENCE = 60.0
"""How long a simulation may take to begin, and to end, s."""

HEAD = """from morse.builder import *
from morse.builder.actuators import *
from morse.builder.sensors import *
from morse.builder.blenderobjects import *
class MyEnv():
"""

_mode = TimeStrategies.BestEffort


class MorseTestCase(unittest.TestCase):
    """A test in a simulation."""

    def setUpMw(self) -> None:
        """What is needed besides, before the simulation begins."""

    def tearDownMw(self) -> None:
        """And after its end."""

    def setUpEnv(self) -> None:
        """The builder script; it ends with `env = Environment(...)`."""
        raise NotImplementedError(f"{type(self).__name__} has no setUpEnv")

    def setUp(self) -> None:
        self.logfile_name = f"{type(self).__name__}.log"
        self.pid: Optional[int] = None
        self.setUpMw()
        self.addCleanup(self.tearDownMw)
        self.startmorse(self)
        self.addCleanup(self._ended_well)
        self.addCleanup(self.stopmorse)

    def generate_builder_script(self, test_case: Any) -> str:
        """The name of a script with what `setUpEnv` says."""
        source = inspect.getsource(test_case.setUpEnv)
        strategy = TimeStrategies.python_repr(_mode).decode()
        end = f"        env.set_time_strategy({strategy})\nMyEnv().setUpEnv()\n"
        with tempfile.NamedTemporaryFile("w", encoding="utf-8", delete=False) as script:
            script.write(HEAD + source + end)
        self.addCleanup(os.remove, script.name)
        return script.name

    def startmorse(self, test_case: Any) -> None:
        """Starts the simulation, and waits until it runs."""
        root = os.environ.get("MORSE_ROOT")
        command = os.path.join(root, "bin", "morse") if root else "morse"
        script = self.generate_builder_script(test_case)
        with open(self.logfile_name, "w", encoding="utf-8") as log:
            self.morse_process = subprocess.Popen([command, "run", script], stdout=log, stderr=subprocess.STDOUT)
        try:
            self.wait_initialization()
        except BaseException:
            self.morse_process.terminate()
            self.morse_process.wait()
            raise

    def wait_initialization(self) -> None:
        """Waits for the line that says that the simulation runs."""
        said = self._wait_for("SCENE INITIALIZED")
        self.pid = int(next(line for line in said.splitlines() if "PID" in line).split()[-1])

    def _wait_for(self, *marks: str) -> str:
        """What the simulation has said, once one of the marks is in it."""
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            is_over = self.morse_process.poll() is not None
            with open(self.logfile_name, encoding="utf-8") as log:
                said = log.read()
            if any(mark in said for mark in marks):
                return said
            if is_over:
                break
            time.sleep(0.02)
        raise MorseTestingError(f"the simulation did not say {' or '.join(marks)}; see {self.logfile_name}")

    def stopmorse(self) -> None:
        """Asks the simulation to end, and makes it."""
        try:
            with socket.create_connection(("localhost", PORT), 5) as requests:
                requests.sendall(b"id1 simulation quit\n")
                self.morse_process.wait(PATIENCE)
        except (OSError, subprocess.TimeoutExpired):
            self.morse_process.terminate()
        self.morse_process.wait()

    def _ended_well(self) -> None:
        with open(self.logfile_name, encoding="utf-8") as log:
            errors = [line for line in log if "[ERROR][MORSE]" in line]
        self.assertEqual(errors, [], f"see {self.logfile_name}")


class MorseMoveTestCase(MorseTestCase):
    """A test of something that moves `robot`, which has a `pose`, a `teleport` and a `motion`."""

    def assertAlmostEqualPosition(self, morse: Any, tested_pos: Any, precision: float) -> None:
        """Holds x, y, z, yaw, pitch and roll against the robot's."""
        pose = morse.robot.pose.get()
        for name, wanted in zip(("x", "y", "z", "yaw", "pitch", "roll"), tested_pos):
            self.assertAlmostEqual(pose[name], wanted, delta=precision, msg=name)

    def assertAlmostEqualPositionThenFix(self, morse: Any, tested_pos: Any, precision: float) -> None:
        """The same; then puts the robot exactly there."""
        self.assertAlmostEqualPosition(morse, tested_pos, precision)
        goal = dict(zip(("x", "y", "z", "yaw", "pitch", "roll"), tested_pos))
        # Not into the ground.
        goal["z"] += 0.01
        morse.deactivate("robot.motion")
        morse.activate("robot.teleport")
        morse.robot.teleport.publish(goal)
        morse.sleep(0.1)
        morse.deactivate("robot.teleport")
        morse.activate("robot.motion")
        morse.sleep(0.1)


class MorseBuilderFailureTestCase(MorseTestCase):
    """A test of a builder script that is refused."""

    def wait_initialization(self) -> None:
        said = self._wait_for("[ERROR][MORSE]", "SCENE INITIALIZED")
        if "SCENE INITIALIZED" in said:
            raise MorseTestingError("the simulation runs, although its script is wrong")

    def _ended_well(self) -> None:
        """It is to fail."""


class _InMode(unittest.TestSuite):
    """The tests in one time mode."""

    def __init__(self, tests: Any, mode: int):
        super().__init__(tests)
        self.mode = mode

    def run(self, result: unittest.TestResult, debug: bool = False) -> unittest.TestResult:
        global _mode
        _mode = self.mode
        testlogger.info("time mode: %s", TimeStrategies.human_repr(self.mode))
        return super().run(result, debug)


def main(*test_cases: Any, **options: Any) -> None:
    """Runs all tests of the classes, in each of the `time_modes`."""
    modes = options.get("time_modes", (TimeStrategies.BestEffort, TimeStrategies.FixedSimulationStep))
    load = unittest.defaultTestLoader.loadTestsFromTestCase
    suite = unittest.TestSuite(_InMode((load(case) for case in test_cases), mode) for mode in modes)
    sys.exit(not unittest.TextTestRunner().run(suite).wasSuccessful())
