"""An arm reaches around a post: a motion without collisions, found by a rapidly exploring random tree (RRT)."""
import os
import sys
import tempfile

import morse_sim as ms
import numpy
from morse_sim.simulation import png

LINK = """geometry { shape box; dimension [0.56, 0.06, 0.06]; color [%s]; }"""
ARM = f"""
class hinge {{ type revolute; axis [0, 0, 1]; limit_position [-2.8, 2.8]; }}
frame shoulder {{ isa hinge; variable q1;
  frame arm_1 {{ translation [0.25, 0, 0]; {LINK % "0.2, 0.4, 0.8"} }}
  frame elbow {{ isa hinge; variable q2; translation [0.5, 0, 0];
    frame arm_2 {{ translation [0.25, 0, 0]; {LINK % "0.2, 0.4, 0.8"} }}
    frame wrist {{ isa hinge; variable q3; translation [0.5, 0, 0];
      frame arm_3 {{ translation [0.25, 0, 0]; {LINK % "0.2, 0.4, 0.8"} }}
      frame tool {{ translation [0.5, 0, 0]; }} }} }} }}
"""
POST = "frame post { translation [0.9, 0, 0]; geometry { shape cylinder; radius 0.15; height 0.5; color [0.8, 0.2, 0.1]; } }\n"
STEP = 0.1  # rad


def grow(tree, target, query):
    """Adds configurations from the nearest one towards a target, up to the first collision. Returns the index of the last."""
    last = int(numpy.argmin([numpy.linalg.norm(known - target) for known, _ in tree]))
    while True:
        way = target - tree[last][0]
        length = float(numpy.linalg.norm(way))
        if length == 0.0:
            return last
        configuration = target if length <= STEP else tree[last][0] + way * (STEP / length)
        if query.collisions(configuration):
            return last
        tree.append((configuration, last))
        last = len(tree) - 1


def plan(query, start, goal, seed=7):
    """A path from one configuration to another one, as rows."""
    random = numpy.random.default_rng(seed)
    tree = [(start, 0)]
    for _ in range(2000):
        grow(tree, random.uniform(*query.limits.T), query)
        last = grow(tree, goal, query)
        if (tree[last][0] == goal).all():
            path = [last]
            while path[-1]:
                path.append(tree[path[-1]][1])
            return numpy.array([tree[index][0] for index in reversed(path)])
    raise SystemExit("there is no path")


def picture(query, path, file):
    """Draws the arm at every tenth configuration, from the start (dark) to the goal (light)."""
    scene = POST + "frame floor { translation [0.2, 0, -0.1]; geometry { shape box; dimension [2.8, 3, 0.1]; color [0.9, 0.9, 0.9]; } }\n"
    shown = path[:: max(1, len(path) // 12)]
    for number, values in enumerate(shown):
        share = number / max(1, len(shown) - 1)
        color = f"{0.1 + 0.5 * share:.3f}, {0.2 + 0.6 * share:.3f}, {0.6 + 0.4 * share:.3f}"
        for link in ("arm_1", "arm_2", "arm_3"):
            (x, y, z), (qx, qy, qz, qw) = query.pose(link, values)
            pose = f"translation [{x:.6f}, {y:.6f}, {z:.6f}]; quaternion [{qx:.6f}, {qy:.6f}, {qz:.6f}, {qw:.6f}];"
            scene += f"frame {link}_{number} {{ {pose} {LINK % color} }}\n"
    with tempfile.TemporaryDirectory() as folder:
        with open(os.path.join(folder, "motion.robray"), "w", encoding="utf-8") as text:
            text.write(scene)
        simulation = ms.Simulation(os.path.join(folder, "motion.robray"))
        with open(file, "wb") as image:
            image.write(png(simulation.render(960, 720)))


query = ms.SceneQuery(text=ARM + POST)
joints = query.allow_sampled(200)
start = numpy.array([0.9, -0.4, -0.2])
goal = query.inverse("tool", *query.pose("tool", [-0.9, 0.4, 0.2]), start=[-0.7, 0.3, 0.3])
path = plan(query, start, goal)
middle = query.collisions((start + goal) / 2)
print(f"pairs that always meet: {', '.join(' and '.join(pair) for pair in joints)}")
print(f"on the straight way: {middle[0].one} meets {middle[0].other}")
print(f"{len(path)} configurations from {start.round(2).tolist()} to {goal.round(2).tolist()}, none with a collision")
if len(sys.argv) > 1:
    picture(query, path, sys.argv[1])
