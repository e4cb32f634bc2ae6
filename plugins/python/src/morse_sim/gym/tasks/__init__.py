"""Tasks that the package contains, as environments of Gymnasium: `gymnasium.make("morse_sim/RoverGoal-v0")`.

- `morse_sim/RoverGoal-v0`: a rover drives to a goal among boxes, which its scanner measures;
- `morse_sim/ArmReach-v0`: an arm of seven joints moves its tip to a goal;
- `morse_sim/Balance-v0`: a cart balances a pole.
"""
from __future__ import annotations

import os
from typing import Any, Callable, Dict, Tuple

import gymnasium
import numpy

from ..env import Env
from ..task import Readings, Task
from ..vector import VectorEnv

_FOLDER = os.path.dirname(os.path.abspath(__file__))
#: Distance at which the rover and the arm are at their goals, m.
_ROVER_ARRIVES, _ARM_ARRIVES = 0.5, 0.05
_JOINTS = 7


def _rover_view(readings: Readings) -> Any:
    """Distance of the goal, and cosine and sine of its bearing in the rover's axes."""
    x, y = readings["goal.pose.x"] - readings["rover.pose.x"], readings["goal.pose.y"] - readings["rover.pose.y"]
    bearing = numpy.arctan2(y, x) - readings["rover.pose.yaw"]
    return numpy.array([numpy.hypot(x, y), numpy.cos(bearing), numpy.sin(bearing)]).T


def _rover_reward(readings: Readings) -> Any:
    """The closer the better, with a prize at the goal, and less near to boxes and walls."""
    distance = readings.derived[:, 0]
    near = readings["rover.scan.range_list"].min(axis=1) < 0.4
    return numpy.where(distance < _ROVER_ARRIVES, 20.0, -0.05 * distance - 0.2 * near)


def rover_goal() -> Task:
    """A rover drives to a goal among boxes. Start and goal are drawn."""
    return Task(
        observe=["rover.scan.range_list"],
        derive=_rover_view,
        read=["rover.pose.x", "rover.pose.y", "rover.pose.yaw", "goal.pose.x", "goal.pose.y"],
        act=["rover.motion.v", "rover.motion.w"],
        limits={"rover.scan.range_list": (0.0, 4.0), "rover.motion.v": (-0.3, 1.0), "rover.motion.w": (-1.5, 1.5)},
        reward=_rover_reward,
        terminated=f"distance(rover.pose, goal.pose) < {_ROVER_ARRIVES}",
        randomize={
            "robots.rover.at.translation": ((-4.5, -4.0, 0.05), (-3.5, 4.0, 0.05)),
            "robots.rover.at.rpy": ((0.0, 0.0, -1.5), (0.0, 0.0, 1.5)),
            "robots.goal.at.translation": ((3.0, -4.0, 0.01), (4.5, 4.0, 0.01)),
        },
        seconds=30.0,
    )


_ARM_GOAL, _ARM_TIP = ([f"{frame}.{axis}" for axis in "xyz"] for frame in ("goal.pose", "arm.tip"))


def _arm_offset(readings: Readings) -> Any:
    """Displacement from the tip to the goal."""
    return readings.vector(*_ARM_GOAL) - readings.vector(*_ARM_TIP)


def _arm_reward(readings: Readings) -> Any:
    offset = readings.derived
    distance = numpy.sqrt((offset * offset).sum(axis=1))
    return (distance < _ARM_ARRIVES) - distance


def arm_reach() -> Task:
    """An arm of seven joints moves its tip to a goal, which is drawn, by the velocities of its joints."""
    velocities = [f"arm.motors.velocities.{joint}" for joint in range(_JOINTS)]
    return Task(
        observe=["arm.joints.positions", "arm.joints.velocities"],
        derive=_arm_offset,
        read=[*_ARM_GOAL, *_ARM_TIP],
        act=velocities,
        limits=dict.fromkeys(velocities, (-1.0, 1.0)),
        reward=_arm_reward,
        randomize={"robots.goal.at.translation": ((0.25, -0.45, 1.4), (0.55, 0.45, 1.9))},
        seconds=6.0,
        frequency=20.0,
    )


def balance() -> Task:
    """A cart balances a pole by the force of its motor. The pole's first angle is drawn."""
    return Task(
        observe=["balance.joints.positions", "balance.joints.velocities"],
        act=["balance.motor.efforts.0"],
        limits={"balance.motor.efforts.0": (-10.0, 10.0)},
        reward=lambda readings: numpy.ones(len(readings.time)),
        # 2.4 m and 12 degrees, as in the reference.
        terminated=[
            f"balance.joints.positions.{joint} {order} {limit}"
            for joint, most in ((0, 2.4), (1, 0.2094)) for order, limit in ((">", most), ("<", -most))
        ],
        randomize={"joints.pole.position": (-0.05, 0.05)},
        seconds=10.0,
        frequency=50.0,
    )


TASKS: Dict[str, Tuple[str, Callable[[], Task]]] = {
    "RoverGoal-v0": ("rover_goal.ron", rover_goal),
    "ArmReach-v0": ("arm_reach.ron", arm_reach),
    "Balance-v0": ("balance.ron", balance),
}
"""Files and tasks by name."""


def path(name: str) -> str:
    """The simulation file of a task."""
    return os.path.join(_FOLDER, TASKS[name][0])


def make(name: str, **options: Any) -> Env:
    """An environment of a task."""
    return Env(path(name), TASKS[name][1](), **options)


def make_vector(name: str, num_envs: int = 1, **options: Any) -> VectorEnv:
    """Several environments of a task."""
    return VectorEnv(path(name), TASKS[name][1](), num_envs, **options)


def register() -> None:
    """Registers the tasks with Gymnasium. It does so by itself for an installed package, and when `morse_sim.gym` is imported."""
    for name in TASKS:
        if f"morse_sim/{name}" not in gymnasium.registry:
            gymnasium.register(
                f"morse_sim/{name}", entry_point=f"{__name__}:make", vector_entry_point=f"{__name__}:make_vector",
                kwargs={"name": name}, disable_env_checker=True,
            )


__all__ = ["TASKS", "arm_reach", "balance", "make", "make_vector", "path", "register", "rover_goal"]
