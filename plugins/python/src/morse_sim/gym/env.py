"""One simulation as an environment of Gymnasium."""
from __future__ import annotations

from typing import Any, Dict, Optional, Tuple

import gymnasium
import numpy

from ..simulation import Path, Simulation
from .task import Array, Task
from .window import Window
from .worlds import Worlds


class Env(gymnasium.Env[Array, Array]):
    """One simulation as an environment of Gymnasium. Equal seeds and actions give equal observations, bit for bit.

    `reset(seed=…)` builds the simulation with a seed that is drawn from the given one; without a seed each episode has the
    next one. An episode begins after one tick, when all sensors of the simulation's rate have measured."""

    metadata = {"render_modes": ["rgb_array", "human"], "render_fps": 10}

    def __init__(self, path: Path, task: Task, render_mode: Optional[str] = None, size: Tuple[int, int] = (320, 180), **options: Any):
        if render_mode not in (None, *self.metadata["render_modes"]):
            raise ValueError(f"expected the render mode `rgb_array`, `human` or none, found `{render_mode}`")
        self.render_mode = render_mode
        self.task = task
        self.metadata = {**self.metadata, "render_fps": task.frequency}
        self._window: Optional[Window] = None
        self._size = size
        self._worlds = Worlds(path, task, 1, options)
        self.observation_space, self.action_space = self._worlds.observation_space, self._worlds.action_space

    @property
    def simulation(self) -> Simulation:
        """The simulation of the present episode."""
        return self._worlds.simulations[0]

    def reset(self, *, seed: Optional[int] = None, options: Optional[Dict[str, Any]] = None) -> Tuple[Array, Dict[str, Any]]:
        """Begins an episode."""
        super().reset(seed=seed)
        start = self._worlds.draw(self.np_random)
        self._worlds.step([start])
        self._show()
        return self._worlds.observation(), {"seed": start[0]}

    def step(self, action: Array) -> Tuple[Array, float, bool, bool, Dict[str, Any]]:
        """Sends the action, advances by one period, and observes."""
        worlds = self._worlds
        worlds.act_alone(action)
        worlds.go()
        reward, time = worlds.reward(), worlds.time()
        terminated, truncated = worlds.end(time)
        info: Dict[str, Any] = {"time": time}
        if worlds.faults:
            info["fault"] = worlds.faults[0]
        if self.render_mode == "human":
            self._show()
        return worlds.observation(), reward, terminated, truncated, info

    def render(self) -> Any:
        """An image of the whole scene, in the mode `rgb_array`. In the mode `human` each step shows it in a window, in real
        time."""
        return self.simulation.render(*self._size) if self.render_mode == "rgb_array" else None

    def _show(self) -> None:
        # A simulation that has failed cannot be rendered.
        if self.render_mode != "human" or self._worlds.faults:
            return
        if self._window is None:
            self._window = Window(self._size, self.task.frequency)
        self._window.show(self.simulation.render(*self._size))

    def close(self) -> None:
        """Ends the simulation."""
        self._worlds.close()
        if self._window is not None:
            self._window.close()
            self._window = None


__all__ = ["Env"]
