"""A task for learning: reach a goal. A rule stands for what would be learnt."""
import numpy

import morse_sim as ms

GOAL = numpy.array([4.0, 0.0])


def reward(readings: ms.gym.Readings) -> numpy.ndarray:
    return -numpy.hypot(GOAL[0] - readings["rover.pose.x"], GOAL[1] - readings["rover.pose.y"])


task = ms.gym.Task(
    observe=["rover.pose.x", "rover.pose.y", "rover.pose.yaw"],
    act=["rover.motion.v", "rover.motion.w"],
    limits={"rover.motion.v": (0.0, 1.0), "rover.motion.w": (-1.0, 1.0)},
    reward=reward,
    terminated="distance(rover.pose, (4, 0, 0.1)) < 0.5",
    randomize={"robots.rover.at.translation": ((-3, -2, 0.1), (-1, 2, 0.1))},
    seconds=20.0,
)
environments = ms.gym.VectorEnv("plugins/python/examples/goal.ron", task, num_envs=2)
observed, _ = environments.reset(seed=1)
reached = numpy.zeros(2, bool)
for _ in range(150):
    bearing = numpy.arctan2(GOAL[1] - observed[:, 1], GOAL[0] - observed[:, 0]) - observed[:, 2]
    actions = numpy.stack([numpy.full(2, 0.8), numpy.clip(bearing, -1.0, 1.0)], axis=1)
    observed, rewards, terminated, truncated, _ = environments.step(actions)
    reached |= terminated
environments.close()
print(f"{reached.sum()} of 2 have reached the goal")
