"""Environments to learn in: a simulation file, and a task.

    import morse_sim as ms

    task = ms.gym.Task(
        observe=["rover.scan.range_list", "rover.pose.x", "rover.pose.y"],
        act=["rover.motion.v", "rover.motion.w"],
        limits={"rover.motion.v": (0, 2), "rover.motion.w": (-1, 1)},
        reward=lambda simulation: simulation["rover.pose"].data.x,
        terminated=lambda simulation: simulation["rover.pose"].data.x > 8,
        seconds=30,
    )
    environment = ms.gym.Env("room.ron", task)
"""
from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any, Callable, Dict, List, Mapping, Optional, Sequence, Tuple, Union

import gymnasium
import numpy
import numpy.typing

from . import _native
from .errors import AccessError
from .simulation import Data, Path, Simulation

Array = numpy.typing.NDArray[numpy.float64]
_SEEDS = 2**31


def _nothing(_simulation: Simulation) -> float:
    return 0.0


def _never(_simulation: Simulation) -> bool:
    return False


@dataclass
class Task:
    """What is observed, what is commanded, and what is rewarded."""

    #: Fields of sensors, such as `rover.pose.x`. Their numbers, one after the other, are the observation.
    observe: Sequence[str]
    #: Fields of commands, such as `rover.motion.v`, a number of the action each.
    act: Sequence[str]
    #: Least and greatest number of fields. Fields of commands otherwise have the limits of the simulator, and observations none.
    limits: Mapping[str, Tuple[float, float]] = field(default_factory=dict)
    #: Reward of a step, from the simulation after it.
    reward: Callable[[Simulation], float] = _nothing
    #: True if the episode has come to its end.
    terminated: Callable[[Simulation], bool] = _never
    #: Simulated time after which an episode is truncated, s.
    seconds: float = 60.0
    #: Actions per simulated second.
    frequency: float = 10.0


def _parted(name: str) -> Tuple[str, str]:
    path, dot, part = name.rpartition(".")
    if not dot or not path:
        raise AccessError(f"expected a component and a field, such as `rover.pose.x`, found `{name}`")
    return path, part


def _flat(value: Any) -> List[float]:
    if isinstance(value, Data):
        return [number for part in value.values() for number in _flat(part)]
    return [float(number) for number in numpy.asarray(value, numpy.float64).ravel()]


def _observation(simulation: Simulation, observe: Sequence[str]) -> Array:
    """Reads each sensor once."""
    read: Dict[str, Data] = {}
    numbers: List[float] = []
    for name in observe:
        path, part = _parted(name)
        if path not in read:
            read[path] = simulation[path].data
        numbers += _flat(read[path][part])
    return numpy.array(numbers, numpy.float64)


def _commands(act: Sequence[str], action: Any) -> Dict[str, Dict[str, float]]:
    commands: Dict[str, Dict[str, float]] = {}
    for name, number in zip(act, numpy.asarray(action, numpy.float64).ravel()):
        path, part = _parted(name)
        commands.setdefault(path, {})[part] = float(number)
    return commands


def _spaces(simulation: Simulation, task: Task) -> Tuple[Any, Any]:
    """Spaces of observations and actions."""
    low: List[float] = []
    high: List[float] = []
    for name in task.observe:
        path, part = _parted(name)
        count = len(_flat(simulation[path].data[part]))
        least, greatest = task.limits.get(name, (-math.inf, math.inf))
        low += [least] * count
        high += [greatest] * count
    bounds = []
    for name in task.act:
        path, part = _parted(name)
        fields = simulation[path].fields
        if part not in fields:
            raise AccessError(f"`{path}` has no field `{part}`; there are: {', '.join(fields)}")
        bounds.append(task.limits.get(name, (fields[part].low, fields[part].high)))
    lows, highs = (numpy.array([bound[side] for bound in bounds], numpy.float64) for side in (0, 1))
    observations = gymnasium.spaces.Box(numpy.array(low), numpy.array(high), dtype=numpy.float64)
    return observations, gymnasium.spaces.Box(lows, highs, dtype=numpy.float64)


def _ticks(simulation: Simulation, task: Task) -> int:
    """Ticks of one action."""
    ticks = simulation.rate / task.frequency
    if not math.isfinite(ticks) or ticks < 1 or abs(ticks - round(ticks)) > 1e-9:
        raise ValueError(f"a frequency of {task.frequency} Hz does not divide the simulation's {simulation.rate} ticks per second")
    return round(ticks)


class Env(gymnasium.Env[Array, Array]):
    """One simulation as an environment of Gymnasium. Equal seeds and actions give equal observations, bit for bit.

    `reset(seed=…)` builds the simulation with a seed that is drawn from the given one; without a seed each episode has the
    next one. An episode begins after one tick, when all sensors of the simulation's rate have measured."""

    metadata = {"render_modes": ["rgb_array"], "render_fps": 10}

    def __init__(self, path: Path, task: Task, render_mode: Optional[str] = None, size: Tuple[int, int] = (320, 180), **options: Any):
        if render_mode not in (None, "rgb_array"):
            raise ValueError(f"expected the render mode `rgb_array` or none, found `{render_mode}`")
        self.render_mode = render_mode
        self.task = task
        self._path, self._options, self._size = path, options, size
        #: The simulation of the present episode.
        self.simulation = self._begin(0)
        self.observation_space, self.action_space = _spaces(self.simulation, task)
        self._ticks = _ticks(self.simulation, task)

    def _begin(self, seed: int) -> Simulation:
        simulation = Simulation(self._path, seed=seed, **self._options)
        simulation.step()
        return simulation

    def reset(self, *, seed: Optional[int] = None, options: Optional[Dict[str, Any]] = None) -> Tuple[Array, Dict[str, Any]]:
        """Begins an episode."""
        super().reset(seed=seed)
        drawn = int(self.np_random.integers(_SEEDS))
        self.simulation.close()
        self.simulation = self._begin(drawn)
        return _observation(self.simulation, self.task.observe), {"seed": drawn}

    def step(self, action: Array) -> Tuple[Array, float, bool, bool, Dict[str, Any]]:
        """Sends the action, advances by one period, and observes."""
        self._send(action)
        self.simulation.step(self._ticks)
        return self._outcome()

    def _send(self, action: Any) -> None:
        for path, fields in _commands(self.task.act, action).items():
            self.simulation[path].command(**fields)

    def _outcome(self) -> Tuple[Array, float, bool, bool, Dict[str, Any]]:
        time = self.simulation.time
        return (
            _observation(self.simulation, self.task.observe),
            float(self.task.reward(self.simulation)),
            bool(self.task.terminated(self.simulation)),
            time >= self.task.seconds,
            {"time": time},
        )

    def render(self) -> Any:
        """An image of the whole scene, in the mode `rgb_array`."""
        return self.simulation.render(*self._size) if self.render_mode == "rgb_array" else None

    def close(self) -> None:
        """Ends the simulation."""
        self.simulation.close()


class VectorEnv(gymnasium.vector.VectorEnv[Array, Array, Any]):
    """Several simulations as a vector environment of Gymnasium; they advance at the same time, each in its own thread.

    After the end of an episode, the next step of that environment begins another one (`AutoresetMode.NEXT_STEP`). With a
    seed, environment number i behaves as an `Env` with the seed plus i, bit for bit."""

    metadata = {"autoreset_mode": gymnasium.vector.AutoresetMode.NEXT_STEP, "render_modes": ["rgb_array"], "render_fps": 10}

    def __init__(self, path: Path, task: Task, num_envs: int, render_mode: Optional[str] = None, **options: Any):
        if num_envs < 1:
            raise ValueError(f"expected at least one environment, found {num_envs}")
        self.num_envs = num_envs
        self.render_mode = render_mode
        self._envs = [Env(path, task, render_mode, **options) for _ in range(num_envs)]
        first = self._envs[0]
        self.single_observation_space, self.single_action_space = first.observation_space, first.action_space
        self.observation_space = gymnasium.vector.utils.batch_space(first.observation_space, num_envs)
        self.action_space = gymnasium.vector.utils.batch_space(first.action_space, num_envs)
        self._ended = numpy.zeros(num_envs, numpy.bool_)

    def reset(
        self, *, seed: Union[int, Sequence[Optional[int]], None] = None, options: Optional[Dict[str, Any]] = None
    ) -> Tuple[Array, Dict[str, Any]]:
        """Begins an episode in each environment."""
        seeds = [None if seed is None else seed + i for i in range(self.num_envs)] if seed is None or isinstance(seed, int) else seed
        if len(seeds) != self.num_envs:
            raise ValueError(f"expected {self.num_envs} seeds, found {len(seeds)}")
        results = [env.reset(seed=each) for env, each in zip(self._envs, seeds)]
        self._ended[:] = False
        infos: Dict[str, Any] = {}
        for number, (_observed, info) in enumerate(results):
            infos = self._add_info(infos, info, number)
        return numpy.stack([observed for observed, _info in results]), infos

    def step(self, actions: Array) -> Tuple[Array, Array, numpy.typing.NDArray[numpy.bool_], numpy.typing.NDArray[numpy.bool_], Dict[str, Any]]:
        """Sends the actions, advances all by one period, and observes."""
        if len(actions) != self.num_envs:
            raise ValueError(f"expected {self.num_envs} actions, found {len(actions)}")
        going = [env for env, ended in zip(self._envs, self._ended) if not ended]
        for env, action, ended in zip(self._envs, actions, self._ended):
            if not ended:
                env._send(action)
        _native.step_together([env.simulation._core for env in going], self._envs[0]._ticks)
        infos: Dict[str, Any] = {}
        outcomes = []
        for number, (env, ended) in enumerate(zip(self._envs, self._ended)):
            if ended:
                observed, info = env.reset()
                outcome = (observed, 0.0, False, False, info)
            else:
                outcome = env._outcome()
            outcomes.append(outcome)
            infos = self._add_info(infos, outcome[4], number)
        observations, rewards, terminations, truncations, _ = zip(*outcomes)
        terminated, truncated = numpy.array(terminations, numpy.bool_), numpy.array(truncations, numpy.bool_)
        self._ended = terminated | truncated
        return numpy.stack(observations), numpy.array(rewards, numpy.float64), terminated, truncated, infos

    def render(self) -> Any:
        """An image of each scene, in the mode `rgb_array`."""
        return tuple(env.render() for env in self._envs) if self.render_mode == "rgb_array" else None

    def close_extras(self, **kwargs: Any) -> None:
        """Ends the simulations."""
        for env in self._envs:
            env.close()


__all__ = ["Env", "Task", "VectorEnv"]
