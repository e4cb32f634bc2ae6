#!/usr/bin/env python3
"""Compare the forward kinematics of URDFs with PyBullet.

    python3 -m venv venv && venv/bin/pip install numpy pybullet
    venv/bin/python tests/robots/compare_bullet.py [--program target/debug/morse-sim] [PATTERN]

For each URDF of `pybullet_data`: where all links are at ten positions of the joints, the first of them zero, relative to the
base link (at most 1e-6 m and 1e-6 rad apart). PyBullet calculates in double precision, and reads its files in that, too.
Descriptions with joints that follow others, or with
substitutions of ROS, which PyBullet does not make, are left out. The exit code is 1 if anything differs.
"""
import argparse, collections, glob, json, os, site, subprocess, sys
import xml.etree.ElementTree as tree

import numpy as np
import pybullet as bullet

POSITIONS = 10
LARGEST = 1e-6


def inspected(program, path, allowed, values):
    words = [program, "inspect", "--json", "--fixed", "--allow-path", allowed, path]
    for name, value in values.items():
        words += ["--at", f"{name}={value!r}"]
    done = subprocess.run(words, capture_output=True, text=True)
    read = json.loads(done.stdout)
    return read, read.get("absolute", read["absolute_at_zero"])


def matrix(position, rotation):
    """Homogeneous transform of a position and a quaternion x, y, z, w."""
    x, y, z, w = np.array(rotation) / np.linalg.norm(rotation)
    whole = np.eye(4)
    whole[:3, :3] = [
        [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
        [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
        [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)],
    ]
    whole[:3, 3] = position
    return whole


def compared(program, path, allowed, seed):
    """The greatest difference, and where."""
    bullet.resetSimulation()
    body = bullet.loadURDF(path, useFixedBase=True)
    inertial = bullet.getDynamicsInfo(body, -1)[3:5]
    joints = [bullet.getJointInfo(body, at) for at in range(bullet.getNumJoints(body))]
    names = {info[1].decode(): at for at, info in enumerate(joints)}
    scene, _ = inspected(program, path, allowed, {})
    rng = np.random.default_rng(seed)
    worst = (0.0, "")
    moves = [name for name in scene["variables"] if name in names]
    for number in range(POSITIONS):
        values = {name: float(rng.uniform(-1, 1)) for name in moves} if number else {}
        _, absolute = inspected(program, path, allowed, values)
        for at in range(len(joints)):
            if joints[at][2] != bullet.JOINT_SPHERICAL:
                bullet.resetJointState(body, at, values.get(joints[at][1].decode(), 0.0))
        base = matrix(*bullet.getBasePositionAndOrientation(body)) @ np.linalg.inv(matrix(*inertial))
        root = bullet.getBodyInfo(body)[0].decode()
        own_base = absolute.get(root)
        if own_base is None:
            return 1.0, f"link {root} is not there"
        own_base = matrix(own_base["t"], own_base["q"])
        for at, info in enumerate(joints):
            link = info[12].decode()
            if link not in absolute:
                return 1.0, f"link {link} is not there"
            state = bullet.getLinkState(body, at, computeForwardKinematics=True)
            expected = np.linalg.inv(base) @ matrix(state[4], state[5])
            own = np.linalg.inv(own_base) @ matrix(absolute[link]["t"], absolute[link]["q"])
            size = 1.0 + np.linalg.norm(expected[:3, 3])
            worst = max(worst, (np.abs(own - expected).max() / size, f"link {link}"))
    return worst


def left_out(path):
    """True if joints of a file follow others, or if it has substitutions."""
    with open(path, encoding="utf-8", errors="replace") as file:
        if "$(" in file.read():
            return True
    try:
        return tree.parse(path).getroot().find("joint/mimic") is not None
    except tree.ParseError:
        return False


def main():
    words = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    words.add_argument("pattern", nargs="?", default="")
    words.add_argument("--program", default="target/debug/morse-sim")
    words = words.parse_args()
    here = site.getsitepackages()[0]
    paths = sorted(glob.glob(here + "/pybullet_data/**/*.urdf", recursive=True))
    paths = [path for path in paths if "random_urdfs" not in path and words.pattern in path]
    bullet.connect(bullet.DIRECT)
    counts = collections.Counter()
    for seed, path in enumerate(paths):
        short = os.path.relpath(path, here)
        if left_out(path):
            counts["left out"] += 1
            continue
        try:
            gap, where = compared(words.program, path, here, seed)
        except bullet.error:
            counts["refused by PyBullet"] += 1
            continue
        except (ValueError, KeyError):
            counts["refused"] += 1
            print("REFUSED", short)
            continue
        counts["same" if gap <= LARGEST else "different"] += 1
        if gap > LARGEST:
            print("DIFFERS", short, "|", gap, where)
    print(len(paths), "descriptions beside PyBullet:", dict(counts))
    sys.exit(1 if counts["different"] else 0)


main()
