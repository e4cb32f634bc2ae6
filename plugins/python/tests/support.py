"""What several tests need: scripts that are recorded, simulations that run."""
from __future__ import annotations

import faulthandler
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import textwrap
import time
import unittest
from typing import Any, Dict, List, Optional

from . import ROOT
from .require import left_out, needs

LAUNCHER = os.path.join(ROOT, "bin", "morse")
GOLDEN = os.path.join(ROOT, "tests", "golden")
GROUND = "frame ground { translation [0, 0, -0.5]; geometry { shape box; dimension [60, 60, 1]; friction 0.5; } }\n"


def program() -> Optional[str]:
    """The simulator."""
    return shutil.which(os.environ.get("MORSE_SIM") or "morse-sim")


def needs_program(test: Any) -> Any:
    return needs("python", program(), "there is no morse-sim: set MORSE_SIM to it")(test)


def is_free(port: int) -> bool:
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", port))
        except OSError:
            return False
    return True


def descendants(root: int) -> List[int]:
    """The processes that a process has started, and theirs; none where there is no /proc."""
    parents: Dict[int, int] = {}
    for name in os.listdir("/proc") if os.path.isdir("/proc/self") else ():
        try:
            with open(f"/proc/{name}/stat", encoding="utf-8", errors="replace") as stat:
                parents[int(name)] = int(stat.read().rsplit(")", 1)[1].split()[1])
        except (OSError, ValueError):
            continue
    processes = [root]
    for process in processes:
        processes += [child for child, parent in parents.items() if parent == process]
    return processes[1:]


def kill(process: "subprocess.Popen[bytes]") -> None:
    """Kills a process that was started in a session of its own, and all that it has started. Simulators have sessions of
    their own too: one that is left behind would keep its port."""
    for each in descendants(process.pid):
        try:
            os.kill(each, signal.SIGKILL)
        except ProcessLookupError:
            pass
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass
    process.wait()


def execute(command: List[str], timeout: float = 300, **options: Any) -> "subprocess.CompletedProcess[str]":
    """Runs a command to its end, with its output in files: a process that it leaves behind cannot keep a pipe open for which
    the test would wait forever."""
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:

        def text(file: Any) -> str:
            file.seek(0)
            return str(file.read().decode(errors="replace"))

        process = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=out, stderr=err, start_new_session=True, **options,
        )
        try:
            code = process.wait(timeout)
        except subprocess.TimeoutExpired:
            raise AssertionError(f"{command} did not end within {timeout} s:\n{text(out)}{text(err)}") from None
        finally:
            kill(process)
        return subprocess.CompletedProcess(command, code, text(out), text(err))


#: The longest that a test waits for the port of MORSE; none for the next one after a test has waited so long.
PATIENCE = [120.0]


def wait_for_port(port: int = 4000) -> None:
    """Waits until nobody else has the port of MORSE, the only one that its harness knows."""
    end = time.monotonic() + PATIENCE[0]
    while not is_free(port):
        if time.monotonic() > end:
            PATIENCE[0] = 0.0
            left_out("python", f"port {port} is taken by somebody else")
        time.sleep(0.5)


def listed(what: str) -> List[str]:
    """Kinds that the simulator has."""
    said = execute([str(program()), "list", what, "--json"])
    said.check_returncode()
    return [each["kind"] for each in json.loads(said.stdout)]


def described(kind: str, family: str) -> Dict[str, Any]:
    """Description of a kind of the family `sensors` or `actuators`; both may have a kind of a name."""
    said = execute([str(program()), "describe", kind, "--json"])
    said.check_returncode()
    described = map(json.loads, said.stdout.splitlines())
    return next(each for each in described if each["family"] + "s" == family)


#: Seconds after which a test ends the process, with the stacks of all threads: it waits for something that never comes.
LONGEST = 900.0


class Room(unittest.TestCase):
    """Each test has a folder of its own."""

    def setUp(self) -> None:
        faulthandler.dump_traceback_later(LONGEST, exit=True)
        self.addCleanup(faulthandler.cancel_dump_traceback_later)
        self.folder = tempfile.mkdtemp(prefix="morse-test-")
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        self.write("ground.robray", GROUND)

    def path(self, name: str) -> str:
        return os.path.join(self.folder, name)

    def write(self, name: str, text: str) -> str:
        with open(self.path(name), "w", encoding="utf-8") as file:
            file.write(textwrap.dedent(text))
        return self.path(name)

    def read(self, name: str) -> str:
        with open(self.path(name), encoding="utf-8") as file:
            return file.read()

    def morse(self, *arguments: str, **environment: str) -> "subprocess.CompletedProcess[str]":
        """Runs the launcher to its end."""
        return execute([sys.executable, LAUNCHER, *arguments], 120, cwd=self.folder, env={**os.environ, "HOME": self.folder, **environment})

    def recorded(self, script: str) -> str:
        """The simulation file that a script stands for."""
        self.write("script.py", "from morse.builder import *\n" + textwrap.dedent(script))
        ran = self.morse("migrate", "script.py", "--force")
        self.assertEqual(ran.returncode, 0, ran.stdout + ran.stderr)
        self.said = ran.stderr
        return self.read("script.ron")


class Running:
    """A script that the launcher runs, on a port of its own."""

    def __init__(self, room: Room, script: str, *options: str):
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        head = "from morse.builder import *\n"
        tail = f'\nenv.configure_stream_manager("socket", port={self.port}, streams=0)\n'
        path = room.write("script.py", head + textwrap.dedent(script) + tail)
        self.log = open(room.path("log"), "w+", encoding="utf-8")
        self.process = subprocess.Popen(
            [sys.executable, LAUNCHER, "run", *options, path],
            cwd=room.folder,
            stdout=self.log,
            stderr=subprocess.STDOUT,
        )
        room.addCleanup(self.end)

    def said(self) -> str:
        with open(self.log.name, encoding="utf-8") as log:
            return log.read()

    def wait_for(self, text: str, timeout: float = 60.0) -> str:
        """Waits for a line of the log."""
        end = time.monotonic() + timeout
        while time.monotonic() < end:
            for line in self.said().splitlines():
                if text in line:
                    return line
            if self.process.poll() is not None and text not in self.said():
                break
            time.sleep(0.02)
        raise AssertionError(f"`{text}` is not in:\n{self.said()}")

    def simulator(self) -> int:
        """Its process."""
        return int(self.wait_for("PID").split()[-1])

    def end(self) -> int:
        if self.process.poll() is None:
            self.process.terminate()
        code = self.process.wait(30)
        if not self.log.closed:
            self.log.close()
        return code


def needs_services(test: Any) -> Any:
    """For what asks the simulation itself."""
    there = bool(program()) and "details" in listed("services")
    return needs("python", there, "this morse-sim does not say who is there")(test)
