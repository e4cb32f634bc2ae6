"""Environments to learn in: a simulation file, and a task.

    import numpy
    import morse_sim as ms

    task = ms.gym.Task(
        observe=["rover.scan.range_list", "rover.pose.x", "rover.pose.y"],
        act=["rover.motion.v", "rover.motion.w"],
        limits={"rover.motion.v": (0, 2), "rover.motion.w": (-1, 1)},
        reward=lambda readings: -numpy.abs(readings["rover.pose.x"] - 8),
        terminated="rover.pose.x > 8",
        seconds=30,
    )
    environment = ms.gym.Env("room.ron", task)
"""
from typing import TYPE_CHECKING, Any

from . import tasks
from .env import Env
from .task import Readings, Task
from .vector import VectorEnv

if TYPE_CHECKING:
    from .cluster import RayVectorEnv as RayVectorEnv
    from .parallel import ParallelEnv as ParallelEnv

tasks.register()


def __getattr__(name: str) -> Any:
    """Imports PettingZoo and Ray at their first use."""
    if name == "RayVectorEnv":
        from .cluster import RayVectorEnv

        return RayVectorEnv
    if name == "ParallelEnv":
        from .parallel import ParallelEnv

        return ParallelEnv
    raise AttributeError(f"module `morse_sim.gym` has no attribute `{name}`")


__all__ = ["Env", "ParallelEnv", "RayVectorEnv", "Readings", "Task", "VectorEnv", "tasks"]
