"""The client, against a server that says what a test wants, and against the simulator."""
from __future__ import annotations

import json
import socket
import threading
import time
import unittest
from typing import Any, Callable, Dict, List

from morse_sim.client import (
    Morse,
    MorseServerError,
    MorseServiceFailed,
    MorseServicePreempted,
)
from morse_sim.client.requests import parse

from .support import Room, Running, needs_services

DETAILS = {
    "robots": [
        {
            "name": name,
            "type": "ATRV",
            "components": {
                f"{name}.arm": {"type": "Armature", "services": ["goto", "stop"], "stream_interfaces": [["x", "IN"]]},
                f"{name}.arm.tip": {"type": "Pose", "stream_interfaces": [["x", "OUT"]]},
            },
        }
        for name in ("rover", "rover_001")
    ],
    "environment": "empty",
}


class Server:
    """Answers requests as it is told, in MORSE's form."""

    def __init__(self, test: unittest.TestCase, answers: Dict[str, Callable[[Any], str]]):
        self.answers = {"details": lambda _given: "SUCCESS " + json.dumps(DETAILS), **answers}
        self.heard: List[str] = []
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        self.clients: List[socket.socket] = []
        threading.Thread(target=self._serve, daemon=True).start()
        test.addCleanup(self.close)

    def _serve(self) -> None:
        try:
            while True:
                client, _address = self.listener.accept()
                self.clients.append(client)
                threading.Thread(target=self._hear, args=(client,), daemon=True).start()
        except OSError:
            return

    def _hear(self, client: socket.socket) -> None:
        for line in client.makefile("r"):
            self.heard.append(line.rstrip("\n"))
            words = line.split(" ", 3)
            if len(words) < 3:
                continue
            given = json.loads(words[3]) if len(words) > 3 else []
            answer = self.answers.get(words[2])
            if answer is not None:
                client.sendall(f"{words[0]} {answer(given)}\n".encode())

    def close(self) -> None:
        self.listener.close()
        for client in self.clients:
            try:
                client.shutdown(socket.SHUT_RDWR)
            except OSError:
                # It has gone already.
                pass
            client.close()


class Protocol(unittest.TestCase):
    """The rules of the request port."""

    def connect(self, **answers: Callable[[Any], str]) -> Morse:
        self.server = Server(self, answers)
        morse = Morse("127.0.0.1", self.server.port, timeout=5)
        self.addCleanup(morse.close, cancel_async_services=True)
        return morse

    def test_replies_are_read(self) -> None:
        self.assertEqual(parse(b"1 SUCCESS"), ("1", "SUCCESS", None))
        self.assertEqual(parse(b'1 SUCCESS {"a": [1.5, Infinity]}'), ("1", "SUCCESS", {"a": [1.5, float("inf")]}))
        self.assertEqual(parse(b'x FAILED "no, not at all"'), ("x", "FAILED", "no, not at all"))

    def test_who_is_there(self) -> None:
        morse = self.connect()
        self.assertEqual(morse.robots, ["rover", "rover_001"])
        self.assertEqual([robot.name for robot in morse.rovers], ["rover", "rover_001"])
        self.assertEqual(morse.rover.arm.fqn, "rover.arm")
        self.assertEqual(morse.rover.arm.tip.fqn, "rover.arm.tip")
        self.assertEqual(self.server.heard, ["0 simulation details []"])
        with self.assertRaisesRegex(AttributeError, "known: rover, rover_001"):
            morse.spirit
        with self.assertRaisesRegex(AttributeError, "known: tip, goto, stop"):
            morse.rover.arm.wave
        with self.assertRaisesRegex(AttributeError, "it cannot get"):
            morse.rover.arm.get()

    def test_services_answer_with_futures(self) -> None:
        morse = self.connect(
            goto=lambda given: "SUCCESS " + json.dumps(given),
            stop=lambda _given: 'FAILED "Socket service manager: wrong # of parameters for service stop"',
            now=lambda _given: "SUCCESS",
            reset_objects=lambda _given: 'FAILED "not today"',
        )
        reply = morse.rover.arm.goto(1, [2, 3], "a")
        self.assertEqual(reply, [1, [2, 3], "a"])
        self.assertEqual(str(reply), "[1, [2, 3], 'a']")
        self.assertEqual(self.server.heard[-1], '1 rover.arm goto [1, [2, 3], "a"]')
        with self.assertRaises(TypeError):
            morse.rover.arm.stop(1).result(5)
        with self.assertRaisesRegex(MorseServiceFailed, "not today"):
            morse.reset()
        # What is falsy comes without a value.
        self.assertEqual(morse.time(), 0.0)

    def test_a_timeout_leaves_the_request_alone(self) -> None:
        morse = self.connect(stop=lambda _given: "SUCCESS 3")
        waiting = morse.rover.arm.goto(1)
        with self.assertRaisesRegex(TimeoutError, "rover.arm goto within 0.05 s"):
            waiting.result(0.05)
        self.assertTrue(waiting.running())
        self.assertEqual(morse.rover.arm.stop().result(5), 3)

    def test_cancelling_ends_with_the_service(self) -> None:
        morse = self.connect()
        waiting = morse.rover.arm.goto(1)
        waiting.cancel()
        end = time.monotonic() + 5
        while "1 cancel" not in self.server.heard and time.monotonic() < end:
            time.sleep(0.01)
        self.assertTrue(waiting.running())
        self.server.clients[0].sendall(b"1 PREEMPTED\n")
        with self.assertRaises(MorseServicePreempted):
            waiting.result(5)

    def test_the_end_of_the_simulation_wakes_everybody(self) -> None:
        morse = self.connect()
        waiting = morse.rover.arm.goto(1)
        self.server.close()
        with self.assertRaisesRegex(MorseServerError, "ended before it answered rover.arm goto"):
            waiting.result(5)
        self.assertFalse(morse.is_up())
        with self.assertRaises(MorseServerError):
            for _ in range(100):
                morse.rover.arm.goto(2).result(5)

    def test_lines_come_in_pieces_and_rubbish_is_skipped(self) -> None:
        morse = self.connect()
        waiting = morse.rover.arm.goto(1)
        for piece in (b"\n", b"nonsense\n", b"7 SUCCESS {broken\n", b"9 SUCCESS 1\n", b"1 SUC", b'CESS "\xc3', b'\xa9"\n'):
            self.server.clients[0].sendall(piece)
            time.sleep(0.01)
        self.assertEqual(waiting.result(5), "é")

    def test_nobody_there(self) -> None:
        with socket.create_server(("127.0.0.1", 0)) as free:
            port = free.getsockname()[1]
        with self.assertRaisesRegex(MorseServerError, "morse run SCRIPT.py"):
            Morse("127.0.0.1", port, timeout=2)


SCRIPT = """
    robot = ATRV()
    motion = MotionVW()
    motion.add_interface('socket')
    robot.append(motion)
    pose = Pose()
    pose.add_interface('socket')
    robot.append(pose)
    way = Waypoint()
    way.add_interface('socket')
    way.properties(ObstacleAvoidance=False)
    robot.append(way)
    mast = Pose()
    mast.add_interface('socket')
    pose.append(mast)
    clock = Clock()
    clock.add_interface('socket')
    robot.append(clock)
    env = Environment('ground.robray')
"""


@needs_services
class Simulated(Room):
    """Against the simulator, which the launcher starts."""

    def start(self, more: str = "") -> Morse:
        self.running = Running(self, SCRIPT + more)
        self.running.wait_for("SCENE INITIALIZED")
        morse = Morse(port=self.running.port, timeout=20)
        self.addCleanup(morse.close, cancel_async_services=True)
        return morse

    def test_a_robot_is_driven(self) -> None:
        with self.start() as morse:
            self.assertEqual(morse.robots, ["robot"])
            self.assertEqual(
                sorted(morse.streams()),
                ["robot.clock", "robot.motion", "robot.pose", "robot.pose.mast", "robot.way"],
            )
            morse.deactivate("robot.way")
            before = morse.robot.pose.get(10)
            morse.robot.motion.publish({"v": 1.0, "w": 0.0})
            morse.sleep(2)
            morse.robot.motion.stop().result(10)
            after = morse.robot.pose.get(10)
            # MORSE's friction takes some 3 % of the speed.
            self.assertAlmostEqual(after["x"] - before["x"], 2, delta=0.3)
            self.assertAlmostEqual(after["y"], before["y"], delta=0.05)
            self.assertEqual(morse.robot.pose.mast.get(10).keys(), after.keys())

    def test_a_goal_is_reached_and_another_one_is_given_up(self) -> None:
        with self.start("    env.set_time_scale(accelerate_by=4)\n") as morse:
            morse.deactivate("robot.motion")
            heard = []
            going = morse.robot.way.goto(2.0, 1.0, 0.0, 0.2, 1.0)
            going.add_done_callback(lambda future: heard.append(future.result()))
            self.assertEqual(going.result(30), "Arrived")
            self.assertEqual(heard, ["Arrived"])
            pose = morse.robot.pose.get(10)
            self.assertLess((pose["x"] - 2) ** 2 + (pose["y"] - 1) ** 2, 0.3**2)
            going = morse.robot.way.goto(20.0, 0.0, 0.0)
            going.cancel()
            with self.assertRaises(MorseServicePreempted):
                going.result(10)
            with self.assertRaises(TypeError):
                morse.robot.way.goto(1).result(10)

    def test_time_goes_by_steps(self) -> None:
        with socket.create_server(("127.0.0.1", 0)) as free:
            port = free.getsockname()[1]
        more = f"    env.configure_stream_manager('socket', time_sync=True, sync_port={port})\n"
        with self.start(more + "    env.set_time_strategy(TimeStrategies.FixedSimulationStep)\n") as morse:
            with morse.lockstep(port) as time_:
                start = time_.time
                self.assertAlmostEqual(time_.step() - start, 1 / 60, delta=1e-9)
                self.assertAlmostEqual(time_.run(1.5) - start, 1.5 + 1 / 60, delta=1e-6)
                stopped = morse.time()
                time.sleep(0.3)
                self.assertEqual(morse.time(), stopped)
            end = time.monotonic() + 10
            while morse.time() < stopped + 1:
                self.assertLess(time.monotonic(), end)

    def test_quitting_ends_it(self) -> None:
        morse = self.start()
        waiting = morse.robot.way.goto(20.0, 0.0, 0.0)
        morse.quit()
        self.assertEqual(self.running.process.wait(30), 0)
        self.assertIn("EXITING SIMULATION", self.running.said())
        self.assertTrue(waiting.done())
