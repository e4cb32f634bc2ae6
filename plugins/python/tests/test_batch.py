"""Batches of runs: in threads, and on a cluster of Ray."""
from __future__ import annotations

import importlib.util
import json
import os
import subprocess
import sys
from typing import Any, Dict, List

from .native import needs_native, site
from .require import needs
from .support import Room

FALL = """
Simulation(
    scene: "block.robray",
    environment: (seed: 4),
    robots: { "block": (frame: "block", sensors: {
        "pose": (kind: "pose"),
        "seen": (kind: "pose", modifiers: [(kind: "pose_noise", position_sigma: (0.1, 0.1, 0.1))]),
    }) },
)
"""
BLOCK = "frame block { translation [0, 0, 1]; geometry { shape box; dimension [0.1, 0.1, 0.1]; } }"
SWEEP = """
Batch(
    simulation: "fall.ron", length: {length}, seeds: "1..{seeds}",
    grid: {{ "environment.rate": [60, 120] }},
    record: {{ "z": "block.seen.z" }},
)
"""


class Sweeps(Room):
    def setUp(self) -> None:
        super().setUp()
        self.write("block.robray", BLOCK)
        self.write("fall.ron", FALL)

    def sweep(self, seeds: int = 6, length: float = 0.5) -> str:
        return self.write("sweep.ron", SWEEP.format(seeds=seeds, length=length))


@needs_native
class Batches(Sweeps):
    def test_rows_are_those_of_simulations(self) -> None:
        import morse_sim as ms

        seen: List[Any] = []
        rows = ms.batch.run(self.sweep(), progress=lambda made, count: seen.append((made, count)))
        self.assertEqual([row["run"] for row in rows], list(range(12)))
        self.assertEqual(seen, [(made, 12) for made in range(1, 13)])
        for row in rows[1::5]:
            simulation = ms.Simulation(self.path("fall.ron"), seed=row["seed"], set=row["set"])
            simulation.run(0.5)
            self.assertEqual((simulation.state_hash, simulation.tick), (row["state_hash"], row["steps"]))
            self.assertEqual(simulation["block.seen"].data.z, row["values"]["z"])
        # Rows that are there are not made again, and the table of another batch is kept.
        seen.clear()
        self.assertEqual(ms.batch.run(self.path("sweep.ron"), workers=1, progress=lambda *each: seen.append(each)), rows)
        self.assertEqual(seen, [])
        before = self.read("sweep.jsonl")
        with self.assertRaisesRegex(ms.EnvironmentFault, ":1: this is a row of another batch"):
            ms.batch.run(self.sweep(seeds=7))
        self.assertEqual(self.read("sweep.jsonl"), before)

    def test_mistakes_are_exceptions(self) -> None:
        import morse_sim as ms

        with self.assertRaises(ms.SceneError) as caught:
            ms.batch.run(self.write("wrong.ron", 'Batch(simulation: "fall.ron", lenght: 3)'))
        self.assertIn("did you mean `length`", str(caught.exception))
        with self.assertRaisesRegex(ms.SceneError, "cannot read"):
            ms.batch.run(self.path("nothing.ron"))
        with self.assertRaisesRegex(ValueError, "at least one worker"):
            ms.batch.run(self.sweep(), workers=0)
        with self.assertRaises(ms.EnvironmentFault):
            ms.batch.run(self.sweep(), output=self.folder)

    def test_an_interrupted_batch_is_continued(self) -> None:
        import morse_sim as ms

        def interrupt(made: int, _count: int) -> None:
            if made == 5:
                raise KeyboardInterrupt

        file = self.sweep()
        with self.assertRaises(KeyboardInterrupt):
            ms.batch.run(file, workers=2, progress=interrupt)
        self.assertEqual(len(ms.batch.read(self.path("sweep.jsonl"))), 5)
        made = []
        rows = ms.batch.run(file, progress=lambda *each: made.append(each))
        self.assertEqual(([row["run"] for row in rows], len(made)), (list(range(12)), 7))


CLUSTER = """
import json, os, signal, sys, threading, time

import ray
from ray.cluster_utils import Cluster

import morse_sim as ms

file, output = sys.argv[1:]
cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 1, "include_dashboard": False})
others = [cluster.add_node(num_cpus=1) for _ in range(2)]
cluster.wait_for_nodes()


@ray.remote(num_cpus=0)
def workers():
    "Processes that make runs on this machine, where all nodes of the test are."
    found = {}
    for number in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{number}/cmdline", "rb") as command:
                if command.read().startswith(b"ray::_make"):
                    found[int(number)] = True
        except OSError:
            pass
    return list(found)


killed = []


def disturb(made, count):
    if made == 6 and not killed:
        deadline = time.monotonic() + 60
        while not killed and time.monotonic() < deadline:
            for number in ray.get(workers.remote())[:1]:
                os.kill(number, signal.SIGKILL)
                killed.append(number)
            time.sleep(0.01)
    if made == 12:
        cluster.remove_node(others[0], allow_graceful=False)


ms.batch.run(file, output="local.jsonl")
rows = ms.batch.run(file, output=output, address=cluster.address, progress=disturb)
print(json.dumps({"rows": len(rows), "killed": len(killed)}))
cluster.shutdown()
"""


@needs_native
@needs("ray", importlib.util.find_spec("ray"), "there is no ray: batches on clusters")
class OnClusters(Sweeps):
    def cluster(self, file: str, output: str, script: str = CLUSTER) -> Dict[str, Any]:
        environment = {
            **os.environ, "PYTHONPATH": site(self.path(f"site-{output}")), "RAY_DEDUP_LOGS": "0", "PYTHONDONTWRITEBYTECODE": "1",
            "RAY_USAGE_STATS_ENABLED": "0",
        }
        command = [sys.executable, "-c", script, file, self.path(output)]
        ran = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=400, cwd=self.folder)
        self.assertEqual(ran.returncode, 0, ran.stdout + ran.stderr)
        found: Dict[str, Any] = json.loads(ran.stdout.strip().splitlines()[-1])
        return found

    def test_lost_workers_and_nodes_lose_no_run_and_repeat_none(self) -> None:
        import morse_sim as ms

        # Long enough that some run is under way when its worker is killed.
        file = self.sweep(seeds=12, length=20.0)
        found = self.cluster(file, "cluster.jsonl")
        self.assertEqual(found, {"rows": 24, "killed": 1})
        lines = self.read("cluster.jsonl").splitlines()
        self.assertEqual(len(lines), 24)
        self.assertEqual(sorted(lines), sorted(self.read("local.jsonl").splitlines()))
        self.assertEqual(ms.batch.read(self.path("cluster.jsonl")), ms.batch.read(self.path("local.jsonl")))
