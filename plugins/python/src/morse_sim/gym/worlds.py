"""Simulations of one task that advance at the same time."""
from __future__ import annotations

from typing import Any, Dict, List, Mapping, Optional, Sequence, Tuple

import numpy

from .. import _native
from ..errors import ClosedError
from ..simulation import Path, Simulation
from .task import Array, Flags, Readings, Task, acted, action_space, observation_space, observed, per_environment

#: Seed of a simulation, and values of its file.
Start = Tuple[int, List[str]]
_SEEDS = 2**31


class Worlds:
    """Simulations of one task. All numbers of a step are in memory that the simulations' threads and numpy share."""

    def __init__(self, path: Path, task: Task, count: int, options: Mapping[str, Any]):
        self.task, self._path, self._options = task, path, dict(options)
        #: The simulations; the environments keep them for all episodes.
        self.simulations = [self._simulation((0, [])) for _ in range(count)]
        first = self.simulations[0]
        self.action_space: Any = action_space(first, task)
        #: Observed fields, and then further ones.
        names = [*task.observe, *(name for name in dict.fromkeys(task.read) if name not in task.observe)]
        self._running: Optional[_native.Batch] = _native.Batch(
            [simulation._core for simulation in self.simulations],
            {
                "read": [observed(first, name) for name in names],
                "act": [acted(name) for name in task.act],
                "terminated": task.expressions,
                "ticks": task.ticks(first.rate),
            },
        )
        sizes = self._batch.sizes
        ends = numpy.cumsum([0, *sizes]).tolist()
        columns = {name: slice(ends[i], ends[i + 1]) for i, name in reversed(list(enumerate(names)))}
        rows = numpy.asarray(self._batch.rows)
        self._observed: Array = rows[:, : ends[len(task.observe)]]
        self._actions: Array = numpy.asarray(self._batch.actions)
        self._own_action: Array = self._actions[0]
        outcomes = numpy.asarray(self._batch.outcomes)
        self.readings = Readings(rows, columns, outcomes[:, 0], self.simulations)
        #: Whether each expression that ends an episode has become true: a row per simulation.
        self.ended: Array = outcomes[:, 1:]
        self._going: List[Optional[Start]] = [None] * count
        #: Reasons why simulations failed in the last step.
        self.faults: Dict[int, str] = {}
        #: Derived numbers of the last step, once they are computed.
        self._derived: Optional[Array] = None
        self.readings._derive = self._derivation
        # The first observations determine how many numbers are derived.
        self._batch.step([(0, [])] * count)
        derived = self.observations().shape[1] - self._observed.shape[1]
        self.observation_space: Any = observation_space(task, sizes, derived)

    def _simulation(self, start: Start) -> Simulation:
        seed, values = start
        options = {**self._options, "set": [*self._options.get("set", ()), *values]}
        simulation = Simulation(self._path, seed=seed, **options)
        simulation.step()
        return simulation

    def draw(self, random: numpy.random.Generator) -> Start:
        """Draws the start of an episode."""
        return int(random.integers(_SEEDS)), self.task.draw(random)

    @property
    def _batch(self) -> "_native.Batch":
        if self._running is None:
            raise ClosedError("the environment is closed")
        return self._running

    def act(self, actions: Any) -> None:
        """Sets the actions of the next step, a row for each simulation."""
        numbers = numpy.asarray(actions, numpy.float64)
        if numbers.shape != self._actions.shape:
            raise ValueError(f"expected actions of the shape {self._actions.shape}, found {numbers.shape}")
        self._actions[:] = numbers

    def act_alone(self, action: Any) -> None:
        """Sets the action of the next step of the only simulation."""
        shape = action.shape if isinstance(action, numpy.ndarray) else numpy.shape(action)
        if shape != self._own_action.shape:
            raise ValueError(f"expected an action of the shape {self._own_action.shape}, found {shape}")
        self._own_action[:] = action

    def step(self, starts: List[Optional[Start]]) -> None:
        """Begins an episode where there is a start, and otherwise advances by one period, with the action."""
        for number, start in enumerate(starts):
            if start is not None:
                self._renew(number, start)
        self._derived = None
        self.faults = dict(self._batch.step(starts))

    def go(self) -> None:
        """Advances all by one period."""
        self._derived = None
        self.faults = dict(self._batch.step(self._going))

    def begin(self, starts: Sequence[Optional[Start]]) -> None:
        """Begins an episode where there is a start; the other simulations stay as they are."""
        for number, start in enumerate(starts):
            if start is not None:
                self._renew(number, start)
        self._derived = None
        others = {number: fault for number, fault in self.faults.items() if starts[number] is None}
        self.faults = {**others, **dict(self._batch.begin(list(starts)))}

    def observations(self) -> Array:
        """The observations after a step. Without derived numbers they are the memory that the next step overwrites."""
        if self.task.derive is None:
            return self._observed
        return numpy.concatenate((self._observed, self._derivation()), axis=1)

    def observation(self) -> Array:
        """The observation of the only simulation after a step."""
        observation: Array = self.observations()[0]
        return observation.copy() if self.task.derive is None else observation

    def _derivation(self) -> Array:
        """The derived numbers after a step."""
        if self._derived is not None:
            return self._derived
        count = len(self.simulations)
        if self.task.derive is None:
            return numpy.zeros((count, 0))
        derived = numpy.asarray(self.task.derive(self.readings), numpy.float64)
        if derived.ndim != 2 or len(derived) != count:
            raise ValueError(f"expected derived numbers, an array of the shape ({count}, …), found the shape {derived.shape}")
        self._derived = derived
        return derived

    def _renew(self, number: int, start: Start) -> None:
        """Prepares a simulation for an episode. One that failed, or that has ports or files, is built anew."""
        simulation = self.simulations[number]
        if number in self.faults or self._options.get("outputs"):
            simulation.close()
            simulation._running = self._simulation(start)._running
            self._batch.replace(number, simulation._core)
        simulation._source = {
            **simulation._source, "seed": start[0], "set": [*self._options.get("set", ()), *start[1]],
        }

    def rewards(self, begun: Optional[Flags]) -> Array:
        """Rewards of the step; those of environments that have begun an episode, if there are any, or failed, are 0."""
        count = len(self.simulations)
        if self.task.reward is None:
            return numpy.zeros(count)
        rewards = per_environment(self.task.reward(self.readings), count, "reward").copy()
        if begun is not None:
            rewards[begun] = 0.0
        if self.faults:
            rewards[list(self.faults)] = 0.0
        return rewards

    def reward(self) -> float:
        """The reward of the only simulation."""
        if self.task.reward is None or self.faults:
            return 0.0
        return float(per_environment(self.task.reward(self.readings), 1, "reward")[0])

    def ends(self, begun: Optional[Flags]) -> Tuple[Flags, Flags]:
        """Whether the episodes are terminated, and whether they are truncated: by time, or since the simulation failed; not
        those that have begun in this step, if there are any."""
        count, kinds = self.ended.shape
        if callable(self.task.terminated):
            terminated: Flags = per_environment(self.task.terminated(self.readings), count, "flag") != 0.0
        else:
            terminated = numpy.asarray(self.ended.any(axis=1)) if kinds else numpy.zeros(count, numpy.bool_)
        truncated = self.readings.time >= self.task.seconds
        if begun is not None:
            terminated[begun] = False
            truncated[begun] = False
        for number in self.faults:
            terminated[number], truncated[number] = False, True
        return terminated, truncated

    def end(self, time: float) -> Tuple[bool, bool]:
        """Whether the episode of the only simulation is terminated, and whether it is truncated, given its time: see `ends`."""
        if self.faults:
            return False, True
        if callable(self.task.terminated):
            terminated = bool(per_environment(self.task.terminated(self.readings), 1, "flag")[0])
        else:
            terminated = 1.0 in self.ended[0].tolist()
        return terminated, time >= self.task.seconds

    def time(self) -> float:
        """Simulated time of the only simulation, s."""
        return float(self.readings.time.item(0))

    def close(self) -> None:
        """Ends the simulations."""
        self._running = None
        for simulation in self.simulations:
            simulation.close()
