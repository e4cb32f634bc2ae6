"""One simulation of several robots as a parallel environment of PettingZoo."""
from __future__ import annotations

import importlib
from typing import Any, Dict, List, Mapping, Optional, Tuple

import numpy
from gymnasium.utils import seeding

from ..simulation import Path, Simulation
from .task import Array, Readings, Task, observation_space, per_environment
from .worlds import Worlds

_Base: Any = importlib.import_module("pettingzoo").ParallelEnv  # It has no types.


class ParallelEnv(_Base):  # type: ignore[misc]
    """One simulation in which each agent has a task. Equal seeds and actions give equal observations, bit for bit.

    `agents` are the tasks by the names of the agents. They share the simulation, so that frequency, duration and drawn values
    are arguments of the environment, and those of the tasks have no effect. An agent whose episode has ended gets the action
    zero, within its limits."""

    metadata = {"render_modes": ["rgb_array"], "name": "morse_sim", "is_parallelizable": True, "render_fps": 10}

    def __init__(
        self, path: Path, agents: Mapping[str, Task], *, seconds: float = 60.0, frequency: float = 10.0,
        randomize: Optional[Mapping[str, Any]] = None, render_mode: Optional[str] = None, size: Tuple[int, int] = (320, 180),
        **options: Any,
    ):
        if not agents:
            raise ValueError("expected at least one agent")
        if render_mode not in (None, "rgb_array"):
            raise ValueError(f"expected the render mode `rgb_array` or none, found `{render_mode}`")
        self.render_mode, self._size = render_mode, size
        self.possible_agents = list(agents)
        #: Agents whose episode goes on.
        self.agents: List[str] = []
        self._tasks = dict(agents)
        tasks = self._tasks.values()
        common = Task(
            observe=[],
            act=[name for task in tasks for name in task.act],
            limits={name: limit for task in tasks for name, limit in task.limits.items()},
            read=[name for task in tasks for name in (*task.observe, *task.read)],
            terminated=[expression for task in tasks for expression in task.expressions],
            seconds=seconds, frequency=frequency, randomize=randomize or {},
        )
        if len(set(common.act)) < len(common.act):
            raise ValueError("two agents command the same field")
        self._worlds = Worlds(path, common, 1, options)
        self._random: Optional[numpy.random.Generator] = None
        self._actions = numpy.zeros((1, len(common.act)))
        self._columns = self._slices([len(task.act) for task in tasks])
        self._ends = self._slices([len(task.expressions) for task in tasks])
        space = self._worlds.action_space
        self._action_spaces = {
            agent: type(space)(space.low[columns], space.high[columns], dtype=numpy.float64) for agent, columns in self._columns.items()
        }
        self._observation_spaces = {agent: self._space(agent) for agent in agents}

    def _slices(self, counts: List[int]) -> Dict[str, slice]:
        ends = numpy.cumsum([0, *counts]).tolist()
        return {agent: slice(ends[i], ends[i + 1]) for i, agent in enumerate(self.possible_agents)}

    def _space(self, agent: str) -> Any:
        task = self._tasks[agent]
        sizes = [self._worlds.readings[name].size for name in task.observe]
        return observation_space(task, sizes, len(self._observe(agent)) - sum(sizes))

    def observation_space(self, agent: str) -> Any:
        """Space of the observations of an agent."""
        return self._observation_spaces[agent]

    def action_space(self, agent: str) -> Any:
        """Space of the actions of an agent."""
        return self._action_spaces[agent]

    @property
    def simulation(self) -> Simulation:
        """The simulation of the present episode."""
        return self._worlds.simulations[0]

    def _readings(self, agent: str) -> Readings:
        """The readings, with the derived numbers of an agent."""
        task, readings = self._tasks[agent], self._worlds.readings
        if task.derive is not None:
            derive = task.derive
            readings._derive = lambda: numpy.asarray(derive(readings), numpy.float64)
        return readings

    def _observe(self, agent: str) -> Array:
        task, readings = self._tasks[agent], self._readings(agent)
        arrays = [readings[name].reshape(-1) for name in task.observe]
        if task.derive is not None:
            arrays.append(readings.derived.reshape(-1))
        return numpy.concatenate(arrays) if arrays else numpy.zeros(0)

    def reset(
        self, seed: Optional[int] = None, options: Optional[Dict[str, Any]] = None
    ) -> Tuple[Dict[str, Array], Dict[str, Dict[str, Any]]]:
        """Begins an episode."""
        if seed is not None or self._random is None:
            self._random, _ = seeding.np_random(seed)
        start = self._worlds.draw(self._random)
        self._worlds.step([start])
        self.agents = list(self.possible_agents)
        return {agent: self._observe(agent) for agent in self.agents}, {agent: {"seed": start[0]} for agent in self.agents}

    def step(
        self, actions: Mapping[str, Array]
    ) -> Tuple[Dict[str, Array], Dict[str, float], Dict[str, bool], Dict[str, bool], Dict[str, Dict[str, Any]]]:
        """Sends the actions of all agents, advances by one period, and observes."""
        worlds, alive = self._worlds, list(self.agents)
        missing = [agent for agent in alive if agent not in actions]
        if missing:
            raise ValueError(f"expected an action of each agent; there is none of: {', '.join(missing)}")
        for agent, columns in self._columns.items():
            space = self._action_spaces[agent]
            action = actions[agent] if agent in alive else numpy.clip(0.0, space.low, space.high)
            if numpy.shape(action) != space.shape:
                raise ValueError(f"expected an action of `{agent}` of the shape {space.shape}, found {numpy.shape(action)}")
            self._actions[0, columns] = action
        worlds.act(self._actions)
        worlds.go()
        time = worlds.time()
        _, is_over = worlds.end(time)
        info: Dict[str, Any] = {"time": time}
        if worlds.faults:
            info["fault"] = worlds.faults[0]
        terminations = {agent: not worlds.faults and self._is_terminated(agent) for agent in alive}
        self.agents = [agent for agent in alive if not is_over and not terminations[agent]]
        return (
            {agent: self._observe(agent) for agent in alive},
            {agent: self._reward(agent) for agent in alive},
            terminations,
            dict.fromkeys(alive, is_over),
            {agent: dict(info) for agent in alive},
        )

    def _is_terminated(self, agent: str) -> bool:
        end = self._tasks[agent].terminated
        if callable(end):
            return bool(per_environment(end(self._worlds.readings), 1, "flag")[0])
        return bool(self._worlds.ended[0, self._ends[agent]].any())

    def _reward(self, agent: str) -> float:
        reward = self._tasks[agent].reward
        if reward is None or self._worlds.faults:
            return 0.0
        return float(per_environment(reward(self._readings(agent)), 1, "reward")[0])

    def render(self) -> Any:
        """An image of the whole scene, in the mode `rgb_array`."""
        return self.simulation.render(*self._size) if self.render_mode == "rgb_array" else None

    def close(self) -> None:
        """Ends the simulation."""
        self._worlds.close()


__all__ = ["ParallelEnv"]
