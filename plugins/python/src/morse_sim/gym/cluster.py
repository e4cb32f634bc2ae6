"""A vector environment whose simulations run on a cluster of Ray."""
from __future__ import annotations

import importlib
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple, Union

import gymnasium
import numpy
from gymnasium.utils import seeding

from ..errors import ClosedError, EnvironmentFault
from .task import Array, Flags, Task
from .vector import VectorEnv

#: Largest seed that is drawn for an environment without one.
_SEEDS = 2**31
Make = Callable[..., VectorEnv]


class _Environments:
    """Some of the environments, in a worker of the cluster."""

    def __init__(self, make: Make, arguments: Tuple[Any, ...], options: Dict[str, Any]):
        self._vector = make(*arguments, **options)

    def spaces(self) -> Tuple[Any, Any]:
        return self._vector.single_observation_space, self._vector.single_action_space

    def reset(self, seeds: List[int]) -> Any:
        return self._vector.reset(seed=seeds)

    def step(self, actions: Array) -> Any:
        return self._vector.step(actions)


class RayVectorEnv(gymnasium.vector.VectorEnv[Array, Array, Any]):
    """As a `VectorEnv`, with the same bits for the same seeds, but in workers of a Ray cluster: `workers` of them (by default one
    per processor of the cluster), each with some of the environments.

    `path` is a simulation file that each node has under this path, or the function that makes the environments of a worker, such
    as `functools.partial(tasks.make_vector, "RoverGoal-v0")`; without a `task` then. A worker that is lost is made again: its
    episodes are truncated with a `fault`, and the next step begins other ones, whose seeds are drawn from those of the lost ones."""

    metadata = {"autoreset_mode": gymnasium.vector.AutoresetMode.NEXT_STEP, "render_modes": []}

    def __init__(
        self, path: Any, task: Optional[Task] = None, num_envs: int = 1, workers: Optional[int] = None, address: Optional[str] = None,
        **options: Any,
    ):
        if num_envs < 1 or (workers is not None and workers < 1):
            raise ValueError(f"expected at least one environment and one worker, found {num_envs} and {workers}")
        if "autoreset_mode" in options or "render_mode" in options:
            raise TypeError("`autoreset_mode` and `render_mode` are no options of environments on a cluster")
        try:
            self._ray: Any = importlib.import_module("ray")
        except ImportError:
            raise EnvironmentFault("there is no `ray`: install it by `pip install ray`", None) from None
        self._is_own = not self._ray.is_initialized()
        if self._is_own:
            self._ray.init(address=address, log_to_driver=False, include_dashboard=False if address == "local" else None)
        self.num_envs = num_envs
        make, arguments = (path, ()) if callable(path) else (VectorEnv, (path, task))
        count = min(num_envs, workers or max(1, int(self._ray.cluster_resources().get("CPU", 1))))
        ends = [round(num_envs * i / count) for i in range(count + 1)]
        self._rows = [slice(ends[i], ends[i + 1]) for i in range(count)]
        worker = self._ray.remote(num_cpus=1, max_restarts=-1, max_task_retries=0)(_Environments)
        self._workers: List[Any] = [
            worker.remote(make, arguments, {**options, "num_envs": rows.stop - rows.start}) for rows in self._rows
        ]
        self.single_observation_space, self.single_action_space = self._ray.get(self._workers[0].spaces.remote())
        self.observation_space = gymnasium.vector.utils.batch_space(self.single_observation_space, num_envs)
        self.action_space = gymnasium.vector.utils.batch_space(self.single_action_space, num_envs)
        #: Seeds of the environments, from which those of a lost worker are drawn.
        self._seeds: List[int] = [0] * num_envs
        #: Workers that were lost in the last step.
        self._lost: List[int] = []

    def reset(
        self, *, seed: Union[int, Sequence[Optional[int]], None] = None, options: Optional[Dict[str, Any]] = None
    ) -> Tuple[Array, Dict[str, Any]]:
        """Begins an episode in each environment."""
        if options is not None and "reset_mask" in options:
            raise TypeError("`reset_mask` is no option of environments on a cluster, which begin episodes by themselves")
        count = self.num_envs
        seeds = [seed + i for i in range(count)] if isinstance(seed, int) else [None] * count if seed is None else list(seed)
        if len(seeds) != count:
            raise ValueError(f"expected {count} seeds, found {len(seeds)}")
        if None in seeds:
            random, _ = seeding.np_random()
            seeds = [int(random.integers(_SEEDS)) if each is None else each for each in seeds]
        self._seeds = [int(each) for each in seeds if each is not None]
        calls = [worker.reset.remote(self._seeds[rows]) for worker, rows in zip(self._running, self._rows)]
        self._lost = []
        results = self._ray.get(calls)
        return numpy.concatenate([observed for observed, _ in results]), self._merged([infos for _, infos in results])

    @property
    def _running(self) -> List[Any]:
        if not self._workers:
            raise ClosedError("the environment is closed")
        return self._workers

    def step(self, actions: Array) -> Tuple[Array, Array, Flags, Flags, Dict[str, Any]]:
        """Sends the actions, advances all by one period, and observes."""
        numbers = numpy.asarray(actions, numpy.float64)
        if numbers.shape != self.action_space.shape:
            raise ValueError(f"expected actions of the shape {self.action_space.shape}, found {numbers.shape}")
        calls = [
            self._again(worker, rows) if number in self._lost else worker.step.remote(numbers[rows])
            for number, (worker, rows) in enumerate(zip(self._running, self._rows))
        ]
        before, self._lost = self._lost, []
        results: List[Any] = []
        for number, (call, rows) in enumerate(zip(calls, self._rows)):
            count = rows.stop - rows.start
            none: Flags = numpy.zeros(count, numpy.bool_)
            try:
                one = self._ray.get(call)
                results.append((one[0], numpy.zeros(count), none, none, one[1]) if number in before else one)
            except self._ray.exceptions.RayActorError as error:
                self._lost.append(number)
                faults = {"fault": numpy.array([f"a worker was lost: {type(error).__name__}"] * count, object), "_fault": ~none}
                last = numpy.zeros((count, *(self.single_observation_space.shape or ())))
                results.append((last, numpy.zeros(count), none, ~none, faults))
        observed, rewards, terminated, truncated = (numpy.concatenate([each[i] for each in results]) for i in range(4))
        return observed, rewards, terminated, truncated, self._merged([each[4] for each in results])

    def _again(self, worker: Any, rows: slice) -> Any:
        """Begins episodes in a worker that was lost, once it is there again."""
        for number in range(rows.start, rows.stop):
            random, _ = seeding.np_random(self._seeds[number])
            self._seeds[number] = int(random.integers(_SEEDS))
        return worker.reset.options(max_task_retries=-1).remote(self._seeds[rows])

    def _merged(self, infos: Sequence[Dict[str, Any]]) -> Dict[str, Any]:
        """Infos of all environments; each array has a mask of those that it is for."""
        merged: Dict[str, Any] = {}
        for name in dict.fromkeys(name for each in infos for name in each):
            columns = []
            for each, rows in zip(infos, self._rows):
                count = rows.stop - rows.start
                like = next(other[name] for other in infos if name in other)
                empty = numpy.full(count, None, object) if like.dtype == object else numpy.zeros(count, like.dtype)
                columns.append(each.get(name, empty))
            merged[name] = numpy.concatenate(columns)
        return merged

    def close_extras(self, **kwargs: Any) -> None:
        """Ends the workers."""
        for worker in self._workers:
            self._ray.kill(worker)
        self._workers = []
        if self._is_own:
            self._ray.shutdown()


__all__ = ["RayVectorEnv"]
