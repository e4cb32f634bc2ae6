"""Simulations that do what users do most, for a profile of the native core; prints the state hash of each.

    python training.py SCENES

`SCENES` is a folder of simulation files and scenes.
"""
import math
import sys
from pathlib import Path

import morse_sim as ms
from morse_sim import gym
from morse_sim.gym import tasks

#: Simulated time of each scene, s.
SECONDS = 5.0
EPISODES = 8
ARMS = 10


def scenes(folder: Path) -> None:
    """Simulates each file of a folder."""
    for path in sorted(folder.iterdir()):
        if path.suffix == ".ron" or path.suffix == ".robray" and not path.with_suffix(".ron").exists():
            simulation = ms.Simulation(path, seed=1)
            simulation.step(round(SECONDS * simulation.rate))
            print(path.name, simulation.state_hash, flush=True)
            simulation.close()


def arms() -> None:
    """Moves equal arms, of which several are advanced together."""
    arm = 'model: "arms/kuka_lwr.robray", base: fixed, actuators: {"motors": (kind: "joints")}'
    robots = ", ".join(f'"arm_{i}": ({arm}, at: (translation: (0, {2 * i}, 0.5)))' for i in range(ARMS))
    simulation = ms.Simulation(text=f"Simulation(environment: (rate: 240), robots: {{ {robots} }})", seed=1)
    for tick in range(round(SECONDS * simulation.rate)):
        for i in range(ARMS):
            positions = [0.5 * math.sin(2.0 * tick / simulation.rate + i + joint) for joint in range(7)]
            simulation[f"arm_{i}.motors"].command(positions=positions)
        simulation.step()
    print("arms", simulation.state_hash, flush=True)
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
    arms()
    scenes(Path(sys.argv[1]))
