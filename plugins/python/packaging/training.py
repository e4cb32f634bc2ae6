"""Simulations that do what users do most, for a profile of the native core; prints the state hash of each.

    python training.py SCENES

`SCENES` is a folder of simulation files and scenes.
"""
import sys
from pathlib import Path

import morse_sim as ms
from morse_sim import gym
from morse_sim.gym import tasks

#: Simulated time of each scene, s.
SECONDS = 5.0
EPISODES = 8


def scenes(folder: Path) -> None:
    """Simulates each file of a folder."""
    for path in sorted(folder.iterdir()):
        if path.suffix == ".ron" or path.suffix == ".robray" and not path.with_suffix(".ron").exists():
            simulation = ms.Simulation(path, seed=1)
            simulation.step(round(SECONDS * simulation.rate))
            print(path.name, simulation.state_hash, flush=True)
            simulation.close()


def environments() -> None:
    """Makes random actions in each environment."""
    for name, task in (("ArmReach-v0", tasks.arm_reach), ("Balance-v0", tasks.balance), ("RoverGoal-v0", tasks.rover_goal)):
        environment = gym.Env(tasks.path(name), task())
        environment.action_space.seed(1)
        for episode in range(EPISODES):
            environment.reset(seed=episode)
            ended = False
            while not ended:
                _observed, _reward, terminated, truncated, _info = environment.step(environment.action_space.sample())
                ended = terminated or truncated
        print(name, environment.simulation.state_hash, flush=True)
        environment.close()


if __name__ == "__main__":
    environments()
    scenes(Path(sys.argv[1]))
