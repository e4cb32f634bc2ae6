"""Steps per second of environments of Gymnasium, in pairs: this package, and MuJoCo with as many joints or rays.

    pip install "gymnasium[mujoco]"    # and the package
    python tests/bench/gymnasium_mujoco.py

- arm: `ArmReach-v0`, seven joints, 20 actions a second of five ticks each; `Pusher-v5` of Gymnasium, seven joints, 20 actions a
  second of five steps each;
- rover: `RoverGoal-v0` with 360 rays, ten actions a second of five ticks of two steps each; a differential drive in the same room
  with 360 range finders and ten actions a second of ten steps each, as an environment of Gymnasium's class for MuJoCo;
- vector: the rover's environments at the same time, in one call, and one of them.

The members of a pair take turns, and the median of the ratios of their turns counts. Episodes are as long as those of the tasks, in
which learners see the members: 120 and 100 steps of the arms, 300 of the rovers. The beginnings of episodes count in a second ratio
only; those of a vector do not end. With `--cpu` the time of the process' processors
counts instead of the time on the wall, for machines with other work; not for `vector`. Only a release build gives figures.
"""
import argparse
import json
import math
import os
import statistics
import tempfile
import time
from typing import Any, Callable, Dict, List, Sequence, Tuple

import gymnasium
import numpy
from gymnasium.envs.mujoco import MujocoEnv

from morse_sim import gym
from morse_sim.gym import tasks

RAYS = 360
#: Step of MuJoCo, s: the longest one of Gymnasium's own environments.
STEP = 0.01


def scene() -> str:
    """The room of `RoverGoal-v0` with a differential drive on two wheels and a caster, and a range finder per degree."""
    sites = "".join(
        f'<site name="ray{i}" pos="0.1 0 0.25" zaxis="{numpy.cos(a):.9f} {numpy.sin(a):.9f} 0" size="0.001"/>'
        for i, a in enumerate(numpy.arange(RAYS) * 2 * numpy.pi / RAYS)
    )
    wall, crate = 'size="6 0.1 0.5"', 'size="0.4 0.4 0.5"'
    finders = "".join(f'<rangefinder site="ray{i}" cutoff="4"/>' for i in range(RAYS))
    return f"""<mujoco>
      <option timestep="{STEP}" integrator="implicitfast"/>
      <worldbody>
        <geom type="plane" size="7 7 0.1"/>
        <geom type="box" pos="0 6 0.5" {wall}/> <geom type="box" pos="0 -6 0.5" {wall}/>
        <geom type="box" pos="6 0 0.5" euler="0 0 90" {wall}/> <geom type="box" pos="-6 0 0.5" euler="0 0 90" {wall}/>
        <geom type="box" pos="-1 2.2 0.5" {crate}/> <geom type="box" pos="-0.5 -2.4 0.5" euler="0 0 34" {crate}/>
        <geom type="box" pos="1.2 0.1 0.5" euler="0 0 17" {crate}/>
        <body name="rover" pos="-4 0 0.1">
          <freejoint/>
          <geom type="box" pos="0 0 0.08" size="0.22 0.16 0.08" mass="7"/>
          <geom type="sphere" pos="-0.2 0 -0.06" size="0.04" mass="0.2" friction="0 0 0"/>
          {sites}
          <body pos="0.05 0.2 0"><joint name="left" axis="0 1 0"/><geom type="cylinder" size="0.1 0.02" euler="90 0 0" mass="1"/></body>
          <body pos="0.05 -0.2 0"><joint name="right" axis="0 1 0"/><geom type="cylinder" size="0.1 0.02" euler="90 0 0" mass="1"/></body>
        </body>
      </worldbody>
      <actuator><velocity joint="left" kv="2"/><velocity joint="right" kv="2"/></actuator>
      <sensor>{finders}</sensor>
    </mujoco>"""


class Rover(MujocoEnv):
    """The rover in MuJoCo."""

    metadata = {"render_modes": ["human", "rgb_array", "depth_array", "rgbd_tuple"], "render_fps": 10}

    def __init__(self, path: str):
        space = gymnasium.spaces.Box(-numpy.inf, numpy.inf, (RAYS + 3,), numpy.float64)
        super().__init__(path, round(0.1 / STEP), space)
        self.action_space = gymnasium.spaces.Box(-1.0, 1.0, (2,), numpy.float64)

    def step(self, action: Any) -> Any:
        v, w = 0.35 + 0.65 * action[0], 1.5 * action[1]
        self.do_simulation(numpy.array([v - 0.2 * w, v + 0.2 * w]) / 0.1, self.frame_skip)
        observed = self._observe()
        return observed, -0.05 * float(observed[-3]), bool(observed[-3] < 0.5), False, {}

    def _observe(self) -> Any:
        x, y = 4.0 - self.data.qpos[0], -self.data.qpos[1]
        ranges = self.data.sensordata[:RAYS]
        return numpy.concatenate([numpy.where(ranges < 0, 4.0, ranges), [numpy.hypot(x, y), x, y]])

    def reset_model(self) -> Any:
        self.set_state(self.init_qpos, self.init_qvel)
        return self._observe()


def endless(task: gym.Task) -> gym.Task:
    """A task whose episodes are not truncated."""
    task.seconds = 1e9
    return task


def own_rover(count: int) -> Any:
    """`RoverGoal-v0` with 360 rays."""
    degree = math.radians(1.0)
    scanner = ["robots.rover.sensors.scan.resolution", "robots.rover.sensors.scan.scan_window"]
    # As many steps per action as MuJoCo makes: a hundred a second, two in each tick.
    options = {"set": ["environment.rate=50", f"{scanner[0]}={degree!r}", f"{scanner[1]}={359 * degree!r}"]}
    task, path = tasks.rover_goal(), tasks.path("RoverGoal-v0")
    return gym.Env(path, task, **options) if count == 0 else gym.VectorEnv(path, endless(task), count, **options)


def rates(environment: Any, steps: int, most: int, clock: Callable[[], float]) -> Tuple[float, float]:
    """Steps per second with random actions, without and with the beginnings of episodes, which have `most` steps; those of a vector
    count each environment, and its episodes do not end."""
    count = getattr(environment, "num_envs", None)
    actions = [environment.action_space.sample() for _ in range(64)]
    begins, length = 0.0, 0
    start = clock()
    for step in range(steps // (count or 1)):
        _observed, _reward, terminated, truncated, _info = environment.step(actions[step % 64])
        length += 1
        if count is None and (terminated or truncated or length == most):
            began = clock()
            environment.reset()
            begins, length = begins + clock() - began, 0
    whole, made = clock() - start, steps // (count or 1) * (count or 1)
    return made / (whole - begins), made / whole


def pair(name: str, members: Sequence[Any], lengths: Sequence[int], steps: int, turns: int, clock: Callable[[], float]) -> Dict[str, Any]:
    """Measures both members in turns, with episodes of these numbers of steps."""
    def turn(steps: int) -> List[Tuple[float, float]]:
        return [rates(member, steps, most, clock) for member, most in zip(members, lengths)]

    for environment in members:
        environment.reset(seed=1)
    turn(steps // 4)
    made = [turn(steps) for _ in range(turns)]
    without, whole = ([one[kind] / other[kind] for one, other in made] for kind in (0, 1))
    medians = [statistics.median(each[side][0] for each in made) for side in (0, 1)]
    print(f"{name}: {medians[0]:.0f} and {medians[1]:.0f} steps/s, ratio {statistics.median(without):.2f} "
          f"({min(without):.2f} to {max(without):.2f}); with the beginnings of episodes {statistics.median(whole):.2f}", flush=True)
    return {"pair": name, "rates": made, "ratio": statistics.median(without), "ratio_with_beginnings": statistics.median(whole)}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--steps", type=int, default=4000)
    parser.add_argument("--turns", type=int, default=7)
    parser.add_argument("--cpu", action="store_true")
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    clock = time.process_time if given.cpu else time.perf_counter
    pairs = []
    arm, pusher = gym.Env(tasks.path("ArmReach-v0"), tasks.arm_reach()), gymnasium.make("Pusher-v5").unwrapped
    start = clock()
    for _ in range(20):
        arm.reset()
    print(f"reset of the arm: {(clock() - start) / 20 * 1e3:.1f} ms")
    pairs.append(pair("arm of 7 joints, and Pusher-v5", (arm, pusher), (120, 100), given.steps, given.turns, clock))
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "rover.xml")
        with open(path, "w", encoding="utf-8") as file:
            file.write(scene())
        members = own_rover(0), Rover(path)
        pairs.append(pair("rover with 360 rays, and MuJoCo's", members, (300, 300), given.steps // 4, given.turns, clock))
    if not given.cpu:
        count = os.cpu_count() or 1
        vectors = own_rover(4 * count), own_rover(1)
        pairs.append(pair(f"vector of {4 * count} rovers, and one", vectors, (0, 0), given.steps // 2, given.turns, clock))
    if given.json:
        print(json.dumps(pairs))


if __name__ == "__main__":
    main()
