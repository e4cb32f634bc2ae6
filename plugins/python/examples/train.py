"""Learns a shipped task by augmented random search (Mania, Guy and Recht, 2018), version V2-t: a linear policy on normalised
observations, whose directions are tried by the environments of one vector environment.

    python3 train.py Balance-v0 --iterations 30 --curve curve.csv

With `--address auto` or `--address ray://head:10001` the environments run on a cluster of Ray, and the curve is the same.
"""
import argparse
import functools
from typing import Tuple

import gymnasium
import numpy

import morse_sim as ms


class Normaliser:
    """Mean and variance of all observations so far (Welford, 1962)."""

    def __init__(self, size: int):
        self.count, self.mean, self.squares = 1e-4, numpy.zeros(size), numpy.zeros(size)

    def add(self, rows: numpy.ndarray) -> None:
        for row in rows:
            self.count += 1
            change = row - self.mean
            self.mean += change / self.count
            self.squares += change * (row - self.mean)

    def __call__(self, rows: numpy.ndarray) -> numpy.ndarray:
        return (rows - self.mean) / numpy.sqrt(self.squares / self.count + 1e-8)


def returns(environments: gymnasium.vector.VectorEnv, policies: numpy.ndarray, normal: Normaliser, seed: int) -> Tuple[numpy.ndarray, int]:
    """Return of an episode with each policy, one per environment, and the number of steps."""
    space = environments.single_action_space
    middle, half = (space.high + space.low) / 2, (space.high - space.low) / 2
    observed, _ = environments.reset(seed=seed)
    going, total, steps = numpy.ones(len(policies), bool), numpy.zeros(len(policies)), 0
    while going.any():
        normal.add(observed[going])
        actions = numpy.einsum("eao,eo->ea", policies, normal(observed))
        observed, rewards, terminated, truncated, _ = environments.step(middle + half * numpy.clip(actions, -1, 1))
        total += rewards * going
        steps += int(going.sum())
        going &= ~(terminated | truncated)
    return total, steps


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("task")
    parser.add_argument("--iterations", type=int, default=30)
    parser.add_argument("--directions", type=int, default=8)
    parser.add_argument("--best", type=int, default=4)
    parser.add_argument("--step", type=float, default=0.1)
    parser.add_argument("--noise", type=float, default=0.1)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--curve")
    parser.add_argument("--address", help="of a cluster of Ray; `local` starts one on this machine")
    given = parser.parse_args()
    random = numpy.random.default_rng(given.seed)
    make = functools.partial(ms.gym.tasks.make_vector, given.task)
    if given.address:
        environments = ms.gym.RayVectorEnv(make, num_envs=2 * given.directions, address=given.address)
    else:
        environments = make(2 * given.directions)
    size = (environments.single_action_space.shape[0], environments.single_observation_space.shape[0])
    policy, normal, made, curve = numpy.zeros(size), Normaliser(size[1]), 0, []
    for iteration in range(given.iterations):
        directions = random.standard_normal((given.directions, *size))
        tried = policy + given.noise * numpy.concatenate([directions, -directions])
        total, steps = returns(environments, tried, normal, given.seed + 1000 * iteration)
        made += steps
        up, down = total.reshape(2, -1)
        best = numpy.argsort(-numpy.maximum(up, down))[: given.best]
        spread = numpy.concatenate([up[best], down[best]]).std() + 1e-8
        policy = policy + given.step / (given.best * spread) * numpy.einsum("d,dao->ao", (up - down)[best], directions[best])
        score, _ = returns(environments, numpy.repeat(policy[None], 2 * given.directions, 0), normal, 7)
        curve.append((made, score.mean(), score.min()))
        print(f"{iteration}: {made} steps, mean return {score.mean():.1f}, least {score.min():.1f}", flush=True)
    environments.close()
    if given.curve:
        numpy.savetxt(given.curve, curve, delimiter=";", header="steps;mean;least", comments="")


main()
