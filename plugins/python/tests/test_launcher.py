"""`morse`: markers, signals, exit codes, folders of scripts."""
from __future__ import annotations

import os
import re
import shutil
import signal
import socket
import sys
import time
import unittest

from .support import Room, Running, execute, needs_program

DRIVEN = """
    robot = ATRV()
    motion = MotionVW()
    motion.add_interface('socket')
    robot.append(motion)
    pose = Pose()
    pose.add_interface('socket')
    robot.append(pose)
    env = Environment('ground.robray')
"""


@needs_program
class Runs(Room):
    """What clients of MORSE wait for."""

    def test_markers_come_in_order(self) -> None:
        running = Running(self, DRIVEN)
        running.wait_for("SCENE INITIALIZED")
        os.kill(running.simulator(), 0)
        with socket.create_connection(("127.0.0.1", running.port), 5) as client:
            client.settimeout(10)
            client.sendall(b"a robot.motion set_speed [1.0, 0.0]\n")
            self.assertEqual(client.recv(100), b"a SUCCESS\n")
        running.process.send_signal(signal.SIGTERM)
        self.assertEqual(running.process.wait(30), 128 + signal.SIGTERM)
        said = running.said()
        positions = [said.index(text) for text in ("PID: ", "SCENE INITIALIZED", "EXITING SIMULATION")]
        self.assertEqual(positions, sorted(positions))
        self.assertNotIn("[ERROR][MORSE]", said)

    def test_the_simulator_may_be_killed(self) -> None:
        running = Running(self, DRIVEN)
        running.wait_for("SCENE INITIALIZED")
        os.kill(running.simulator(), signal.SIGKILL)
        self.assertEqual(running.process.wait(30), 128 + signal.SIGKILL)
        self.assertIn("EXITING SIMULATION", running.said())

    @unittest.skipUnless(sys.platform == "linux", "only Linux tells children of their parent's death")
    def test_nothing_is_left_of_a_killed_launcher(self) -> None:
        running = Running(self, DRIVEN)
        running.wait_for("SCENE INITIALIZED")
        simulator = running.simulator()
        running.process.kill()
        end = time.monotonic() + 20
        while time.monotonic() < end:
            try:
                with open(f"/proc/{simulator}/stat", encoding="utf-8") as file:
                    is_over = ") Z" in file.read()
            except OSError:
                is_over = True
            if is_over:
                return
            time.sleep(0.05)
        self.fail("the simulator runs on")

    def test_an_early_signal_is_not_lost(self) -> None:
        running = Running(self, DRIVEN)
        running.wait_for("PID: ")
        running.process.send_signal(signal.SIGINT)
        self.assertIn(running.process.wait(30), (128 + signal.SIGINT, 0))

    def test_a_busy_port_is_said(self) -> None:
        with socket.socket() as taken:
            taken.bind(("127.0.0.1", 0))
            taken.listen()
            port = taken.getsockname()[1]
            self.write(
                "script.py",
                "from morse.builder import *\nr = ATRV()\nenv = Environment('ground.robray')\n"
                f"env.configure_stream_manager('socket', port={port})\n",
            )
            ran = self.morse("run", "script.py")
        self.assertEqual(ran.returncode, 3, ran.stdout + ran.stderr)
        self.assertIn("[ERROR][MORSE] INITIALIZATION ERROR", ran.stdout)
        self.assertIn(f":{port}", ran.stderr)
        self.assertNotIn("SCENE INITIALIZED", ran.stdout)

    def test_what_the_simulator_refuses_is_an_error(self) -> None:
        self.write(
            "script.py",
            "from morse.builder import *\nr = ATRV()\np = Proximity()\np.properties(Range=-1)\nr.append(p)\n"
            "m = MotionVW()\nm.properties(ControlType='Telepathy')\nr.append(m)\n"
            "env = Environment('ground.robray')\n",
        )
        ran = self.morse("run", "script.py")
        self.assertEqual(ran.returncode, 2, ran.stdout + ran.stderr)
        self.assertIn("[ERROR][MORSE] INITIALIZATION ERROR", ran.stdout)
        self.assertIn("`Telepathy` is not a value of `control`", ran.stderr)

    def test_time_runs_as_fast_as_the_script_says(self) -> None:
        running = Running(self, DRIVEN + "    env.set_time_scale(accelerate_by=5)\n")
        running.wait_for("SCENE INITIALIZED")
        time.sleep(2)
        running.process.send_signal(signal.SIGTERM)
        running.process.wait(30)
        line = running.wait_for("s simulated in")
        simulated, passed = float(line.split()[2]), float(line.split()[6])
        self.assertAlmostEqual(simulated / passed, 5, delta=1)

    def test_a_script_without_an_extension_runs(self) -> None:
        # Test harnesses write scripts to temporary files.
        self.write("tmpabc", "from morse.builder import *\nr = ATRV()\nenv = Environment('nowhere')\n")
        ran = self.morse("run", "tmpabc")
        self.assertIn("there is no environment `nowhere`", ran.stdout)


class Passed(Room):
    """What goes to the simulator, and what to the script."""

    def test_options_of_the_simulator(self) -> None:
        os.makedirs(self.path("bin"))
        simulator = self.write("bin/fake", f"#!{sys.executable}\nimport sys\nprint('told', sys.argv[4:])\n")
        os.chmod(simulator, 0o755)
        self.write(
            "script.py",
            "import sys\nfrom morse.builder import *\nprint('script', sys.argv[1:])\nr = ATRV()\nenv = Environment('ground.robray')\n",
        )
        for words, to_simulator, to_script in (
            (["--serve", "script.py", "a"], ["--serve"], ["a"]),
            (["--serve", "0", "--view", "script.py"], ["--serve", "0", "--view"], []),
            (["script.py", "--serve=127.0.0.1:9000", "b"], ["--serve=127.0.0.1:9000"], ["b"]),
            (["--record", "film.log", "script.py", "--fast"], ["--record", "film.log"], ["--fast"]),
            (["script.py", "--view", "--", "--serve", "c"], ["--view"], ["--serve", "c"]),
        ):
            ran = self.morse("run", *words, MORSE_SIM=simulator)
            told = next(line for line in ran.stdout.splitlines() if line.startswith("told"))
            self.assertTrue(told.endswith(str(to_simulator)[1:] if to_simulator else "]"), told)
            self.assertIn("'--port-file'", told)
            self.assertIn(f"script {to_script}\n", ran.stdout, words)

    @needs_program
    def test_it_is_shown_in_a_browser(self) -> None:
        running = Running(self, DRIVEN, "--serve", "0")
        page = running.wait_for("http://127.0.0.1:").split("http://127.0.0.1:")[1]
        port = int(re.match(r"\d+", page).group())
        with socket.create_connection(("127.0.0.1", port), 5) as browser:
            browser.sendall(f"GET / HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nConnection: close\r\n\r\n".encode())
            self.assertIn(b"200", browser.recv(100))


class Folders(Room):
    """create, import, add, rm, edit."""

    def test_a_folder_from_its_making_to_its_end(self) -> None:
        made = self.morse("create", "sim")
        self.assertEqual(made.returncode, 0, made.stderr)
        self.assertEqual(self.morse("create", "sim").returncode, 1)
        added = self.morse("add", "robot", "my robot", "sim")
        self.assertEqual(added.returncode, 0, added.stderr)
        self.write(
            "sim/default.py",
            "from morse.builder import *\nfrom sim.builder.robots.my_robot import My_robot\n"
            "one = My_robot()\nenv = Environment('empty')\nenv.save('said.ron')\nraise RuntimeError('enough')\n",
        )
        ran = self.morse("run", "sim")
        self.assertIn("RuntimeError: enough", ran.stdout)
        self.assertIn('"pose": (kind: "pose"', self.read("said.ron"))
        for kind, name in (("sensor", "nose"), ("actuator", "my tail")):
            added = self.morse("add", kind, name, "sim")
            self.assertEqual(added.returncode, 0, added.stderr)
            self.assertIn("cargo build --release", added.stdout)
        self.assertEqual(self.morse("add", "sensor", "nose", "sim").returncode, 1)
        main = self.read("sim/simulator/src/main.rs")
        self.assertIn("mod my_tail;\nmod nose;\n", main)
        self.assertIn("app.add_plugins((my_tail::plugin, nose::plugin,));", main)
        self.write(
            "sim/default.py",
            "from morse.builder import *\nfrom sim.builder.sensors.nose import Nose\n"
            "one = ATRV()\nnose = Nose()\nnose.properties(floor=0.5)\nnose.frequency(5)\none.append(nose)\n"
            "env = Environment('empty')\nenv.save('said.ron')\n",
        )
        ran = self.morse("run", "sim")
        self.assertIn("which are not built: cargo build --release", ran.stdout)
        self.assertIn('"nose": (kind: "nose", frequency: 5, floor: 0.5)', self.read("said.ron"))
        self.assertIn("did you mean `sim`?", self.morse("rm", "simm").stderr)
        self.assertEqual(self.morse("rm", "sim", "--force").returncode, 0)
        self.assertFalse(os.path.exists(self.path("sim")))
        self.assertEqual(self.morse("run", "sim").returncode, 1)

    @unittest.skipUnless(shutil.which("cargo"), "there is no cargo")
    def test_a_simulator_of_ones_own_needs_no_network(self) -> None:
        self.assertEqual(self.morse("create", "sim").returncode, 0)
        refused = self.morse("add", "sensor", "nose", "sim", "--morse", "nowhere")
        self.assertIn("`nowhere` is not the repository of morse-sim", refused.stderr)
        self.assertFalse(os.path.exists(self.path("sim/simulator")))
        self.assertEqual(self.morse("add", "sensor", "nose", "sim").returncode, 0)
        with open(self.path("sim/simulator/Cargo.lock"), encoding="utf-8") as file:
            versions = file.read()
        words = ["cargo", "tree", "--offline", "--quiet", "--edges", "normal", "--manifest-path", "sim/simulator/Cargo.toml"]
        ran = execute(words, cwd=self.folder, timeout=120)
        self.assertEqual(ran.returncode, 0, ran.stderr)
        used = dict(re.findall(r"(\S+) v(\d\S*)", ran.stdout))
        self.assertIn("bevy", used)
        for name in ("bevy", "rapier3d", "serde"):
            self.assertIn(f'name = "{name}"\nversion = "{used[name]}"\n', versions)

    def test_a_folder_is_made_known(self) -> None:
        os.mkdir(self.path("old"))
        self.write("old/default.py", "raise RuntimeError('it ran')\n")
        self.assertEqual(self.morse("import", "old", "known").returncode, 0)
        self.assertIn("it ran", self.morse("run", "known").stdout)

    def test_there_is_no_blender(self) -> None:
        edited = self.morse("edit", "script.py")
        self.assertEqual(edited.returncode, 1)
        self.assertIn("no Blender", edited.stderr)

    def test_a_missing_program_is_said(self) -> None:
        self.write("script.py", "from morse.builder import *\nr = ATRV()\nenv = Environment('ground.robray')\n")
        ran = self.morse("run", "script.py", MORSE_SIM="/nowhere/morse-sim")
        self.assertEqual(ran.returncode, 1)
        self.assertIn("MORSE_SIM is `/nowhere/morse-sim`, which is no program", ran.stdout)

    def test_migrate_keeps_what_is_there(self) -> None:
        self.write("script.py", "from morse.builder import *\nr = ATRV()\nenv = Environment('ground.robray')\n")
        self.write("script.ron", "Simulation()\n")
        ran = self.morse("migrate", "script.py")
        self.assertEqual(ran.returncode, 1)
        self.assertEqual(self.read("script.ron"), "Simulation()\n")
        self.assertEqual(self.morse("migrate", "script.py", "-o", "other.ron").returncode, 0)
        self.assertIn('"r": (', self.read("other.ron"))
