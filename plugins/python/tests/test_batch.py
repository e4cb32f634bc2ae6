"""Batches of runs: in threads, and on a cluster of Ray."""
from __future__ import annotations

import importlib.util
import json
import os
import shutil
import sys
from typing import Any, Dict, List

from . import ROOT
from .native import needs_native, site
from .require import needs
from .support import Room, execute

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
        ran = execute(command, env=environment, timeout=400, cwd=self.folder)
        self.assertEqual(ran.returncode, 0, ran.stdout + ran.stderr)
        report: Dict[str, Any] = json.loads(ran.stdout.strip().splitlines()[-1])
        return report

    def test_lost_workers_and_nodes_lose_no_run_and_repeat_none(self) -> None:
        import morse_sim as ms

        # Long enough that some run is under way when its worker is killed.
        file = self.sweep(seeds=12, length=20.0)
        report = self.cluster(file, "cluster.jsonl")
        self.assertEqual(report, {"rows": 24, "killed": 1})
        lines = self.read("cluster.jsonl").splitlines()
        self.assertEqual(len(lines), 24)
        self.assertEqual(sorted(lines), sorted(self.read("local.jsonl").splitlines()))
        self.assertEqual(ms.batch.read(self.path("cluster.jsonl")), ms.batch.read(self.path("local.jsonl")))


ENVIRONMENTS = """
import functools, json, os, signal, sys, time

import numpy
import ray
import morse_sim as ms

ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False)
make = functools.partial(ms.gym.tasks.make_vector, "Balance-v0")
local, cluster = make(5), ms.gym.RayVectorEnv(make, num_envs=5)
assert cluster.single_observation_space == local.single_observation_space
random = numpy.random.default_rng(2)


def same(one, other):
    for a, b in zip(one[:-1], other[:-1]):
        assert a.tobytes() == b.tobytes(), (a, b)
    assert sorted(one[-1]) == sorted(other[-1]), (one[-1], other[-1])
    for name, value in one[-1].items():
        assert (value == other[-1][name]).all(), name


same(local.reset(seed=4), cluster.reset(seed=4))
ends = 0
for _ in range(80):
    actions = random.uniform(-10, 10, (5, 1))
    one = local.step(actions)
    same(one, cluster.step(actions))
    ends += int(one[2].sum())
assert ends >= 5, ends
for wrong in (numpy.zeros(5), numpy.zeros((4, 1)), None):
    try:
        cluster.step(wrong)
    except (ValueError, TypeError):
        continue
    raise SystemExit(f"accepted: {wrong}")

# One worker is killed: its episodes are truncated, those of the others go on.
processes = []
for number in filter(str.isdigit, os.listdir("/proc")):
    try:
        with open(f"/proc/{number}/cmdline", "rb") as command:
            if command.read().startswith(b"ray::_Environments"):
                processes.append(int(number))
    except OSError:
        pass
assert len(processes) == 2, processes
os.kill(processes[0], signal.SIGKILL)
lost = None
for _ in range(20):
    observed, rewards, terminated, truncated, infos = cluster.step(numpy.zeros((5, 1)))
    if "fault" in infos:
        lost = infos["_fault"]
        break
    time.sleep(0.1)
assert lost is not None and 2 <= lost.sum() <= 3 and (truncated >= lost).all(), lost
assert "worker was lost" in infos["fault"][lost.argmax()]
observed, rewards, terminated, truncated, infos = cluster.step(numpy.zeros((5, 1)))
assert (infos["_seed"][lost]).all() and not truncated[lost].any(), infos
for _ in range(5):
    observed = cluster.step(numpy.zeros((5, 1)))[0]
assert numpy.isfinite(observed).all() and (abs(observed).sum(axis=1) > 0).all()
cluster.close()
try:
    cluster.step(numpy.zeros((5, 1)))
except ms.ClosedError:
    print(json.dumps({"ends": ends}))
"""


@needs_native
@needs("ray", importlib.util.find_spec("ray"), "there is no ray: batches on clusters")
class EnvironmentsOnClusters(Room):
    def environment(self) -> Dict[str, str]:
        return {**os.environ, "PYTHONPATH": site(self.folder), "PYTHONDONTWRITEBYTECODE": "1", "RAY_USAGE_STATS_ENABLED": "0"}

    def test_they_are_those_of_one_process(self) -> None:
        ran = execute(
            [sys.executable, "-c", ENVIRONMENTS], env=self.environment(), timeout=400, cwd=self.folder
        )
        self.assertEqual(ran.returncode, 0, ran.stdout + ran.stderr)
        self.assertGreaterEqual(json.loads(ran.stdout.strip().splitlines()[-1])["ends"], 5)

    def test_training_on_a_cluster_has_the_same_curve(self) -> None:
        train = os.path.join(ROOT, "examples", "train.py")
        for name, more in (("here", []), ("cluster", ["--address", "local"])):
            command = [sys.executable, train, "Balance-v0", "--iterations", "2", "--directions", "4", "--curve", f"{name}.csv", *more]
            ran = execute(command, env=self.environment(), timeout=400, cwd=self.folder)
            self.assertEqual(ran.returncode, 0, ran.stdout + ran.stderr)
            shutil.rmtree(self.path("site"))
        self.assertEqual(self.read("here.csv"), self.read("cluster.csv"))
