"""Constants of the cost model of batches and environments on clusters (guide: "Batches and clusters"), measured on this machine.

    python tests/bench/cluster_costs.py scenes/patrol.ron

Prints seconds: the start of a worker, the load of a simulation, a tick, the result of a run on its way to the table, and a step of
a `RayVectorEnv` beyond that of its simulations; then wall-clock times of a batch by the model, for numbers of processors. Needs Ray.
"""
import argparse
import functools
import os
import statistics
import tempfile
import time
from typing import Any, Callable, Dict

import numpy
import ray

import morse_sim as ms


def median(call: Callable[[], Any], times: int) -> float:
    """Median duration of a call, s."""
    spent = []
    for _ in range(times):
        start = time.perf_counter()
        call()
        spent.append(time.perf_counter() - start)
    return statistics.median(spent)


class Worker:
    """A worker that has imported the package and loaded a scene."""

    def __init__(self, scene: str):
        self.simulation = ms.Simulation(scene)

    def row(self, length: int) -> str:
        return "x" * length


def measure(scene: str) -> Dict[str, float]:
    """The constants, s."""
    costs = {"load": median(lambda: ms.Simulation(scene), 15)}
    simulation = ms.Simulation(scene)
    simulation.step(600)
    costs["tick"] = median(lambda: simulation.step(600), 9) / 600
    with tempfile.TemporaryDirectory() as folder:
        file = os.path.join(folder, "sweep.ron")
        with open(file, "w", encoding="utf-8") as text:
            text.write(f'Batch(simulation: "{os.path.abspath(scene)}", length: 0.1, seeds: "1..400")')
        batch = ms.batch._native.Sweep(file, None)
        table = batch.table(os.path.join(folder, "table.jsonl"))
        row = batch.run(0)
        numbers = iter(range(400))
        costs["append"] = median(lambda: table.append(next(numbers), row), 300)
        table.close()
    costs["start"] = median(lambda: ray.kill(started(scene)), 5)
    worker = started(scene)
    costs["result"] = median(lambda: ray.get(worker.row.remote(len(row))), 300) + costs["append"]
    # A driver that does not wait for each result, as `ms.batch.run` does not.
    start = time.perf_counter()
    ray.get([worker.row.remote(len(row)) for _ in range(2000)])
    costs["dispatch"] = (time.perf_counter() - start) / 2000
    ray.kill(worker)
    make = functools.partial(ms.gym.tasks.make_vector, "Balance-v0")
    local, cluster = make(1), ms.gym.RayVectorEnv(make, num_envs=1)
    action = numpy.zeros((1, 1))
    steps = []
    for environment in (local, cluster):
        environment.reset(seed=1)
        steps.append(median(lambda: environment.step(action), 300))
        environment.close()
    costs["step"] = steps[1] - steps[0]
    return costs


def started(scene: str) -> Any:
    """A worker that answers."""
    worker = ray.remote(num_cpus=1)(Worker).remote(scene)
    ray.get(worker.row.remote(1))
    return worker


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("scene")
    parser.add_argument("--runs", type=int, default=100_000)
    parser.add_argument("--ticks", type=int, default=3600)
    given = parser.parse_args()
    ray.init(address="local", include_dashboard=False, log_to_driver=False)
    costs = measure(given.scene)
    for name, seconds in costs.items():
        print(f"{name}: {seconds * 1e6:.1f} µs")
    run = costs["load"] + given.ticks * costs["tick"]
    for cores in (2, 10, 100, 1000):
        # The driver handles results while workers run: the slower of both counts.
        seconds = costs["start"] + max(given.runs * run / cores, given.runs * (costs["dispatch"] + costs["append"])) + run
        used = given.runs * run / (cores * seconds)
        print(f"{given.runs} runs of {given.ticks} ticks on {cores} cores: {seconds:.0f} s, cores in use {used:.0%}")


if __name__ == "__main__":
    main()
