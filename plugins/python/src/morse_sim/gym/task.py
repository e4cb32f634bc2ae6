"""Tasks: observations, actions, rewards and ends of episodes."""
from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any, Callable, Dict, List, Mapping, Optional, Sequence, Tuple, Union

import gymnasium
import numpy
import numpy.typing

from ..errors import AccessError
from ..simulation import Simulation

Array = numpy.typing.NDArray[numpy.float64]
Flags = numpy.typing.NDArray[numpy.bool_]
#: A number, or the numbers of a vector.
Bound = Union[float, Sequence[float]]
_MAX_DIGITS = 9


class Readings(Dict[str, Array]):
    """Data of all environments after a step, by the names of a task: an array with a number per environment, or with a row per
    environment if the field has several numbers. The arrays share the memory of the simulations, which the next step
    overwrites."""

    def __init__(self, rows: Array, columns: Mapping[str, slice], time: Array, simulations: Sequence[Simulation]):
        super().__init__({
            name: rows[:, each.start] if each.stop - each.start == 1 else rows[:, each] for name, each in columns.items()
        })
        self._rows, self._columns = rows, columns
        #: Arrays of several fields, by their names.
        self._vectors: Dict[Tuple[str, ...], Array] = {}
        #: Simulated time, s.
        self.time = time
        #: The simulations, for everything else; each access costs some ten microseconds.
        self.simulations = simulations
        #: Computes the derived numbers.
        self._derive: Callable[[], Array] = lambda: numpy.zeros((len(rows), 0))

    @property
    def derived(self) -> Array:
        """The derived numbers of the task, a row per environment: computed once in a step, for rewards as well."""
        return self._derive()

    def vector(self, *names: str) -> Array:
        """The numbers of several fields side by side, a row per environment. Fields that the task reads in the same order share
        the memory of the simulations; others are copied, which takes longer."""
        known = self._vectors.get(names)
        if known is not None:
            return known
        columns = [self._slice(name) for name in names]
        if any(one.stop != other.start for one, other in zip(columns, columns[1:])) or not columns:
            return numpy.concatenate([numpy.zeros((len(self._rows), 0)), *(self._rows[:, each] for each in columns)], axis=1)
        self._vectors[names] = self._rows[:, columns[0].start : columns[-1].stop]
        return self._vectors[names]

    def _slice(self, name: str) -> slice:
        if name not in self._columns:
            self.__missing__(name)
        return self._columns[name]

    def __missing__(self, name: str) -> Array:
        known = ", ".join(self)
        raise AccessError(f"the task neither observes nor reads `{name}`; there are: {known}")


@dataclass
class Task:
    """What is observed, what is commanded, and what is rewarded."""

    #: Fields of sensors, such as `rover.pose.x`; `imu.angular_velocity.2` is one of the field's numbers, the third. Their numbers,
    #: one after the other, are the observation; NaN until the first measurement of an episode, if a modifier such as `dropout`
    #: withholds it.
    observe: Sequence[str]
    #: Fields of commands, such as `rover.motion.v`, a number of the action each; `arm.motors.positions.0` is the first number
    #: of a list.
    act: Sequence[str]
    #: Least and greatest number of fields. Fields of commands otherwise have the limits of the simulator, and observations none.
    limits: Mapping[str, Tuple[float, float]] = field(default_factory=dict)
    #: Rewards of a step: a number per environment, from the readings of all environments after it.
    reward: Optional[Callable[[Readings], Any]] = None
    #: End of an episode: an expression of scenarios such as `rover.pose.x > 8`, or several of which one suffices, which are
    #: evaluated in every tick; or a function that returns a flag per environment.
    terminated: Union[str, Sequence[str], Callable[[Readings], Any], None] = None
    #: Fields of sensors that rewards, ends and derived numbers use, but that are not observed.
    read: Sequence[str] = ()
    #: Further numbers of the observation, computed from the readings of all environments: a row per environment.
    derive: Optional[Callable[[Readings], Any]] = None
    #: Values of the simulation file that are drawn for each episode from the seed of the environment, such as
    #: `{"robots.rover.mass": (10, 20)}`: uniformly between two numbers, or between the numbers of two vectors.
    randomize: Mapping[str, Tuple[Bound, Bound]] = field(default_factory=dict)
    #: Simulated time after which an episode is truncated, s.
    seconds: float = 60.0
    #: Actions per simulated second.
    frequency: float = 10.0

    @property
    def expressions(self) -> List[str]:
        """Expressions of the end."""
        if self.terminated is None or callable(self.terminated):
            return []
        return [self.terminated] if isinstance(self.terminated, str) else list(self.terminated)

    def ticks(self, rate: float) -> int:
        """Ticks of one action, in a simulation of this many ticks per second."""
        ticks = rate / self.frequency if self.frequency else math.inf
        if not math.isfinite(ticks) or ticks < 1 or abs(ticks - round(ticks)) > 1e-9:
            raise ValueError(f"a frequency of {self.frequency} Hz does not divide the simulation's {rate} ticks per second")
        return round(ticks)

    def draw(self, random: numpy.random.Generator) -> List[str]:
        """Values of the simulation file for an episode, as `--set` takes them."""
        return [f"{path}={_drawn(path, bounds, random)}" for path, bounds in self.randomize.items()]


def _drawn(path: str, bounds: Tuple[Bound, Bound], random: numpy.random.Generator) -> str:
    low, high = (numpy.asarray(bound, numpy.float64) for bound in bounds)
    if low.shape != high.shape or low.ndim > 1 or not numpy.all(low <= high) or not numpy.all(numpy.isfinite(high - low)):
        raise ValueError(f"`{path}`: expected a least and a greatest number, or two vectors of them, found {bounds}")
    drawn = random.uniform(low, high)
    return repr(float(drawn)) if low.ndim == 0 else f"({', '.join(repr(float(number)) for number in drawn)})"


def component_and_field(name: str) -> Tuple[str, str]:
    """Component and field of a name."""
    path, dot, field = name.rpartition(".")
    if not dot or not path:
        raise AccessError(f"expected a component and a field, such as `rover.pose.x`, found `{name}`")
    return path, field


def acted(name: str) -> Tuple[str, str, Optional[int]]:
    """Component, field, and the index in the field's list of a name of an action."""
    path, field = component_and_field(name)
    if field.isdecimal():
        return (*component_and_field(path), _index(name, field))
    return path, field, None


def observed(simulation: Simulation, name: str) -> Tuple[str, str, Optional[int]]:
    """Component, field, and the index among the field's numbers of a name of an observation."""
    path, field = component_and_field(name)
    if field.isdecimal() and path not in simulation:
        return (*component_and_field(path), _index(name, field))
    return path, field, None


def _index(name: str, digits: str) -> int:
    if len(digits) > _MAX_DIGITS:
        raise AccessError(f"`{name}`: an index has at most {_MAX_DIGITS} digits")
    return int(digits)


def action_space(simulation: Simulation, task: Task) -> "gymnasium.spaces.Box":
    """Space of the actions: by the task's limits, or those of the fields."""
    bounds = []
    for name in task.act:
        path, field, _index = acted(name)
        fields = simulation[path].fields
        if field not in fields:
            raise AccessError(f"`{path}` has no field `{field}`; there are: {', '.join(fields)}")
        bounds.append(task.limits.get(name, (fields[field].low, fields[field].high)))
    low, high = (numpy.array([bound[side] for bound in bounds], numpy.float64) for side in (0, 1))
    return gymnasium.spaces.Box(low, high, dtype=numpy.float64)


def observation_space(task: Task, sizes: Sequence[int], derived: int) -> "gymnasium.spaces.Box":
    """Space of the observations, whose fields have these numbers of numbers; derived ones have no limits."""
    limits = [task.limits.get(name, (-math.inf, math.inf)) for name, size in zip(task.observe, sizes) for _ in range(size)]
    limits += [(-math.inf, math.inf)] * derived
    low, high = (numpy.array([limit[side] for limit in limits], numpy.float64) for side in (0, 1))
    return gymnasium.spaces.Box(low, high, dtype=numpy.float64)


def per_environment(values: Any, count: int, noun: str) -> Array:
    """A number per environment. The array may be the memory of a simulation or of a task."""
    numbers: Array = numpy.asarray(values, numpy.float64)
    if numbers.shape == (count,):
        return numbers
    if numbers.shape != ():
        raise ValueError(f"expected a {noun} per environment, an array of the shape ({count},), found the shape {numbers.shape}")
    return numpy.full(count, numbers)


__all__ = ["Readings", "Task"]
