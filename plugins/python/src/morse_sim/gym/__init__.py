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
from .env import Env
from .task import Readings, Task
from .vector import VectorEnv

__all__ = ["Env", "Readings", "Task", "VectorEnv"]
