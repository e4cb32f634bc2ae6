"""Several simulations as a vector environment of Gymnasium."""
from __future__ import annotations

from typing import Any, Dict, List, Optional, Sequence, Tuple, Union

import gymnasium
import numpy
from gymnasium.utils import seeding

from ..simulation import Path, Simulation
from .task import Array, Flags, Task
from .worlds import Start, Worlds


class VectorEnv(gymnasium.vector.VectorEnv[Array, Array, Any]):
    """Several simulations as a vector environment of Gymnasium; they advance at the same time, on all processors.

    After the end of an episode, the next step of that environment begins another one (`AutoresetMode.NEXT_STEP`). With
    `AutoresetMode.SAME_STEP` the step that ends the episode does, and `infos` have the last observations of the old episodes as
    `final_obs` and their infos as `final_info`. With `AutoresetMode.DISABLED` the caller does, by `reset` with a mask.
    With a seed, environment number i behaves as an `Env` with the seed plus i, bit for bit. With `copy=False` the observations
    are the memory into which the simulations write: the next step overwrites them."""

    metadata = {"autoreset_mode": gymnasium.vector.AutoresetMode.NEXT_STEP, "render_modes": ["rgb_array"], "render_fps": 10}

    def __init__(
        self, path: Path, task: Task, num_envs: int, render_mode: Optional[str] = None, copy: bool = True,
        size: Tuple[int, int] = (320, 180), autoreset_mode: gymnasium.vector.AutoresetMode = gymnasium.vector.AutoresetMode.NEXT_STEP,
        **options: Any,
    ):
        if num_envs < 1:
            raise ValueError(f"expected at least one environment, found {num_envs}")
        if render_mode not in (None, "rgb_array"):
            raise ValueError(f"expected the render mode `rgb_array` or none, found `{render_mode}`")
        if not isinstance(autoreset_mode, gymnasium.vector.AutoresetMode):
            modes = ", ".join(f"`{mode}`" for mode in gymnasium.vector.AutoresetMode)
            raise ValueError(f"expected an autoreset mode, one of {modes}, found `{autoreset_mode}`")
        self.metadata = {**self.metadata, "autoreset_mode": autoreset_mode}
        self._mode = autoreset_mode
        self.num_envs = num_envs
        self.render_mode = render_mode
        self.task = task
        self._copy, self._size = copy, size
        self._worlds = Worlds(path, task, num_envs, options)
        self.single_observation_space = self._worlds.observation_space
        self.single_action_space = self._worlds.action_space
        self.observation_space = gymnasium.vector.utils.batch_space(self.single_observation_space, num_envs)
        self.action_space = gymnasium.vector.utils.batch_space(self.single_action_space, num_envs)
        self._randoms: List[Optional[numpy.random.Generator]] = [None] * num_envs
        #: Environments whose episodes have ended; by default they begin another one in the next step.
        self._ended: Flags = numpy.zeros(num_envs, numpy.bool_)

    @property
    def simulations(self) -> List[Simulation]:
        """The simulations of the present episodes."""
        return self._worlds.simulations

    def reset(
        self, *, seed: Union[int, Sequence[Optional[int]], None] = None, options: Optional[Dict[str, Any]] = None
    ) -> Tuple[Array, Dict[str, Any]]:
        """Begins an episode in each environment; with `options={"reset_mask": flags}`, an array of a flag per environment, only in
        those with true flags: the others keep their episodes and observations."""
        count = self.num_envs
        mask = self._mask(options)
        seeds = [seed + i for i in range(count)] if isinstance(seed, int) else [None] * count if seed is None else list(seed)
        if len(seeds) != count:
            raise ValueError(f"expected {count} seeds, found {len(seeds)}")
        for number, each in enumerate(seeds):
            if each is not None and mask[number]:
                self._randoms[number], _ = seeding.np_random(each)
        starts = [self._start(number) if mask[number] else None for number in range(count)]
        self._worlds.begin(starts)
        self._ended = self._ended & ~mask
        return self._observations(), self._infos(mask, starts)

    def _mask(self, options: Optional[Dict[str, Any]]) -> Flags:
        """The environments that a reset is for."""
        if options is None or "reset_mask" not in options:
            return numpy.ones(self.num_envs, numpy.bool_)
        mask = options["reset_mask"]
        if not isinstance(mask, numpy.ndarray) or mask.dtype != numpy.bool_:
            raise TypeError(f"expected a `reset_mask` that is an array of flags, found {mask!r}")
        if mask.shape != (self.num_envs,) or not mask.any():
            raise ValueError(f"expected a `reset_mask` of {self.num_envs} flags, at least one of them true, found {mask!r}")
        return mask.copy()

    def step(self, actions: Array) -> Tuple[Array, Array, Flags, Flags, Dict[str, Any]]:
        """Sends the actions, advances all by one period, and observes."""
        worlds, begun = self._worlds, self._ended
        begins = begun.any()
        if begins and self._mode == gymnasium.vector.AutoresetMode.DISABLED:
            numbers = ", ".join(str(number) for number in numpy.flatnonzero(begun))
            raise gymnasium.error.ResetNeeded(f"the episodes of these environments have ended, reset them: {numbers}")
        worlds.act(actions)
        starts = [self._start(i) if begun[i] else None for i in range(self.num_envs)] if begins else []
        if begins:
            worlds.step(starts)
        else:
            worlds.go()
        rewards = worlds.rewards(begun if begins else None)
        terminated, truncated = worlds.ends(begun if begins else None)
        infos = self._infos(begun, starts)
        ended = terminated | truncated
        if self._mode == gymnasium.vector.AutoresetMode.SAME_STEP:
            if ended.any():
                return self._next_episodes(ended, infos), rewards, terminated, truncated, infos
        else:
            self._ended = ended
        return self._observations(), rewards, terminated, truncated, infos

    def _next_episodes(self, ended: Flags, infos: Dict[str, Any]) -> Array:
        """Begins the next episodes in the step in which others have ended. Returns the observations."""
        final = numpy.full(self.num_envs, None, object)
        last = self._worlds.observations()
        for number in numpy.flatnonzero(ended):
            final[number] = last[number].copy()
        old = dict(infos)
        starts = [self._start(number) if ended[number] else None for number in range(self.num_envs)]
        self._worlds.begin(starts)
        infos.update({"final_obs": final, "_final_obs": ended, "final_info": old, "_final_info": ended})
        infos["seed"] = numpy.array([0 if start is None else start[0] for start in starts])
        infos["_seed"] = ended
        return self._observations()

    def _start(self, number: int) -> Start:
        random = self._randoms[number]
        if random is None:
            random, _ = seeding.np_random()
            self._randoms[number] = random
        return self._worlds.draw(random)

    def _observations(self) -> Array:
        observations = self._worlds.observations()
        return observations.copy() if self._copy else observations

    def _infos(self, begun: Flags, starts: Sequence[Optional[Start]]) -> Dict[str, Any]:
        """Seeds of new episodes, times of the others, and reasons of failures, with a mask each, as Gymnasium has them."""
        infos: Dict[str, Any] = {}
        if begun.any():
            infos["seed"] = numpy.array([0 if start is None else start[0] for start in starts])
            infos["_seed"] = begun
        if not begun.all():
            infos["time"] = numpy.where(begun, 0.0, self._worlds.readings.time)
            infos["_time"] = ~begun
        if self._worlds.faults:
            faults = self._worlds.faults
            infos["fault"] = numpy.array([faults.get(number) for number in range(self.num_envs)], object)
            infos["_fault"] = numpy.array([number in faults for number in range(self.num_envs)])
        return infos

    def render(self) -> Any:
        """An image of each scene, in the mode `rgb_array`."""
        if self.render_mode != "rgb_array":
            return None
        return tuple(simulation.render(*self._size) for simulation in self.simulations)

    def close_extras(self, **kwargs: Any) -> None:
        """Ends the simulations."""
        self._worlds.close()


__all__ = ["VectorEnv"]
