"""Trains a shipped task by PPO of Stable-Baselines3 (`pip install stable-baselines3`), and writes its curve.

    python plugins/python/examples/train_ppo.py ArmReach-v0 --minutes 15

The environments are those of one `VectorEnv`, which advances them in threads. Policy and curve are written to `out/`.
"""
import argparse
import json
import os
import time
from typing import Any, Dict, List

import gymnasium
import numpy
from stable_baselines3 import PPO
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.vec_env import VecEnv, VecMonitor, VecNormalize

from morse_sim.gym import tasks

#: Settings of PPO that differ from its defaults, and total number of steps.
SETTINGS: Dict[str, Dict[str, Any]] = {
    "Balance-v0": {"steps": 200_000, "n_steps": 256, "batch_size": 512, "gamma": 0.99, "n_epochs": 10, "learning_rate": 1e-3},
    "ArmReach-v0": {"steps": 1_500_000, "n_steps": 256, "batch_size": 1024, "gamma": 0.95, "n_epochs": 8, "learning_rate": 1e-3},
    "RoverGoal-v0": {"steps": 600_000, "n_steps": 256, "batch_size": 1024, "gamma": 0.98, "n_epochs": 8, "learning_rate": 7e-4},
}
ENVIRONMENTS = 16
#: What the end of an episode before its time means.
ENDS = {"Balance-v0": "the pole fell", "RoverGoal-v0": "at the goal"}


class Environments(VecEnv):
    """A `VectorEnv` as Stable-Baselines3 uses it."""

    def __init__(self, name: str, count: int, seed: int):
        mode = gymnasium.vector.AutoresetMode.SAME_STEP
        self.vector = tasks.make_vector(name, count, autoreset_mode=mode)
        self.first_seed = seed
        space = self.vector.single_action_space
        # Actions are numbers from -1 to 1, as PPO explores them.
        self.middle, self.half = (space.high + space.low) / 2, (space.high - space.low) / 2
        actions = gymnasium.spaces.Box(-1.0, 1.0, space.shape, numpy.float32)
        super().__init__(count, self.vector.single_observation_space, actions)

    def reset(self) -> Any:
        return self.vector.reset(seed=self.first_seed)[0]

    def step_async(self, actions: Any) -> None:
        self.actions = self.middle + self.half * numpy.clip(actions, -1.0, 1.0)

    def step_wait(self) -> Any:
        observed, rewards, terminated, truncated, infos = self.vector.step(self.actions)
        each: List[Dict[str, Any]] = [{} for _ in range(self.num_envs)]
        for number in numpy.flatnonzero(terminated | truncated):
            each[number] = {
                "terminal_observation": infos["final_obs"][number], "TimeLimit.truncated": bool(truncated[number] and not terminated[number]),
                "is_terminated": bool(terminated[number]),
            }
        return observed, rewards, terminated | truncated, each

    def close(self) -> None:
        self.vector.close()

    def get_attr(self, name: str, indices: Any = None) -> List[Any]:
        return [getattr(self.vector, name, None)] * self.num_envs

    def set_attr(self, name: str, value: Any, indices: Any = None) -> None:
        setattr(self.vector, name, value)

    def env_method(self, name: str, *arguments: Any, indices: Any = None, **named: Any) -> List[Any]:
        return [getattr(self.vector, name)(*arguments, **named)] * self.num_envs

    def env_is_wrapped(self, wrapper: Any, indices: Any = None) -> List[bool]:
        return [False] * self.num_envs


class Curve(BaseCallback):
    """Records episodes, and ends the training when its time is over."""

    def __init__(self, minutes: float, end: str):
        super().__init__()
        self.minutes, self.end, self.rows = minutes, end, []
        self.start, self.cpu = time.monotonic(), time.process_time()

    def _on_step(self) -> bool:
        for info in self.locals["infos"]:
            if "episode" in info:
                self.rows.append((self.num_timesteps, float(info["episode"]["r"]), info["is_terminated"]))
        return time.monotonic() - self.start < 60 * self.minutes

    def _on_rollout_end(self) -> None:
        last = self.rows[-100:]
        if last:
            mean, reached = numpy.mean([row[1] for row in last]), numpy.mean([row[2] for row in last])
            spent = f"{time.monotonic() - self.start:.0f} s, {time.process_time() - self.cpu:.0f} s of processors"
            print(f"{self.num_timesteps} steps, {spent}: reward {mean:.2f}, {self.end} {reached:.0%}", flush=True)


def evaluate(model: PPO, statistics: VecNormalize, name: str, episodes: int, seed: int) -> Dict[str, Any]:
    """Runs episodes of other seeds without exploration."""
    environments = Environments(name, 8, seed)
    observed, rewards, reached = environments.reset(), [], []
    distances: List[float] = []
    sums = numpy.zeros(environments.num_envs)
    while len(rewards) < episodes:
        actions, _ = model.predict(statistics.normalize_obs(observed), deterministic=True)
        observed, reward, ended, infos = environments.step(actions)
        sums += reward
        for number in numpy.flatnonzero(ended):
            rewards.append(float(sums[number]))
            reached.append(infos[number]["is_terminated"])
            distances.append(float(numpy.linalg.norm(infos[number]["terminal_observation"][-3:])))
            sums[number] = 0.0
    environments.close()
    results = {"episodes": len(rewards), "reward": float(numpy.mean(rewards)), "terminated": float(numpy.mean(reached))}
    if name == "ArmReach-v0":
        # The last three numbers are the displacement from the tip to the goal.
        results["within_5_cm"] = float(numpy.mean(numpy.array(distances) < 0.05))
        results["median_distance"] = float(numpy.median(distances))
    return results


def draw(rows: List[Any], name: str, path: str) -> None:
    """Draws the mean of the last hundred episodes, if there is matplotlib."""
    try:
        import matplotlib

        matplotlib.use("Agg")
        from matplotlib import pyplot
    except ImportError:
        return
    steps, rewards, reached = (numpy.array([row[i] for row in rows], float) for i in range(3))
    window = numpy.ones(min(100, len(rows))) / min(100, len(rows))
    figure, axes = pyplot.subplots(figsize=(4.8, 2.7), dpi=100)
    axes.plot(steps[len(window) - 1:] / 1000, numpy.convolve(rewards, window, "valid"), color="#1f6fb4")
    axes.set(xlabel="steps of all environments, thousands", ylabel="reward of an episode", title=name)
    axes.grid(alpha=0.3)
    if reached.any() and not reached.all():
        other = axes.twinx()
        other.plot(steps[len(window) - 1:] / 1000, 100 * numpy.convolve(reached, window, "valid"), color="#c05020")
        other.set(ylabel=f"{ENDS.get(name, 'ended early')}, %", ylim=(0, 100))
    figure.tight_layout()
    figure.savefig(path)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("task", choices=sorted(SETTINGS))
    parser.add_argument("--minutes", type=float, default=20.0)
    parser.add_argument("--steps", type=int)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--output", default="out")
    given = parser.parse_args()
    settings = dict(SETTINGS[given.task])
    steps = given.steps or settings["steps"]
    del settings["steps"]
    environments = VecNormalize(VecMonitor(Environments(given.task, ENVIRONMENTS, given.seed)), gamma=settings["gamma"])
    model = PPO(
        "MlpPolicy", environments, seed=given.seed, device="cpu", policy_kwargs={"net_arch": [64, 64], "log_std_init": -0.5}, **settings,
    )
    curve = Curve(given.minutes, ENDS.get(given.task, "ended early"))
    model.learn(steps, callback=curve)
    results = evaluate(model, environments, given.task, 200, seed=10_000)
    results.update(
        steps=model.num_timesteps, seconds=round(time.monotonic() - curve.start), processor_seconds=round(time.process_time() - curve.cpu),
    )
    os.makedirs(given.output, exist_ok=True)
    path = os.path.join(given.output, given.task.split("-")[0].lower())
    model.save(path + ".zip")
    environments.save(path + ".statistics")
    draw(curve.rows, given.task, path + ".png")
    with open(path + ".json", "w", encoding="utf-8") as file:
        json.dump({**results, "curve": curve.rows[:: max(1, len(curve.rows) // 500)]}, file)
    print(json.dumps(results))


if __name__ == "__main__":
    main()
