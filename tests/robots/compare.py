#!/usr/bin/env python3
"""Count which URDFs load, and compare those that do with Pinocchio.

    python3 -m venv venv && venv/bin/pip install pin example-robot-data pybullet
    venv/bin/python tests/robots/compare.py [--program target/debug/morse-sim] [--all] [PATTERN]

For each robot: where all links are at ten random positions of the joints (at most 1e-6 m and 1e-6 rad apart), and mass,
centre of mass and inertia about it at these (at most 1e-6 of the whole). Of the thousand random URDFs of PyBullet it takes
ten, unless told `--all`. The exit code is 1 if anything differs.
"""
import argparse, collections, glob, json, math, os, site, subprocess, sys

import numpy as np
import pinocchio as pin

POSITIONS = 10
LARGEST = 1e-6


def descriptions(everything):
    """Paths of all URDFs that are installed, and the directory that they may read from."""
    here = site.getsitepackages()[0]
    paths = sorted(glob.glob(here + "/cmeel.prefix/share/example-robot-data/robots/**/*.urdf", recursive=True))
    bullet = sorted(glob.glob(here + "/pybullet_data/**/*.urdf", recursive=True))
    random = [path for path in bullet if "random_urdfs" in path]
    paths += [path for path in bullet if "random_urdfs" not in path]
    paths += random if everything else random[:10]
    return paths, here


def checked(program, path, allowed):
    """The program's report of one description."""
    words = [program, "check", "--json", "--allow-path", allowed, path]
    done = subprocess.run(words, capture_output=True, text=True)
    try:
        return json.loads(done.stdout)["files"][0]
    except (ValueError, KeyError, IndexError):
        return None


def inspected(program, path, allowed, values):
    words = [program, "inspect", "--json", "--fixed", "--allow-path", allowed, path]
    for name, value in values.items():
        words += ["--at", f"{name}={value!r}"]
    done = subprocess.run(words, capture_output=True, text=True)
    return json.loads(done.stdout)


def pose(entry):
    x, y, z, w = entry["q"]
    return pin.SE3(pin.Quaternion(w, x, y, z).toRotationMatrix(), np.array(entry["t"]))


def whole(scene, absolute):
    """Mass, centre, and inertia about the centre of all frames together."""
    bodies = []
    for frame in scene["frames"]:
        mass = frame.get("mass", 0.0)
        if mass <= 0.0 and "inertia" not in frame:
            continue
        at = pose(absolute[frame["name"]])
        centre = at.act(np.array(frame.get("center_of_mass", [0, 0, 0])))
        xx, yy, zz, xy, xz, yz = frame.get("inertia", [0.0] * 6)
        own = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
        bodies.append((mass, centre, at.rotation @ own @ at.rotation.T))
    mass = sum(body[0] for body in bodies)
    if mass == 0.0:
        return 0.0, np.zeros(3), np.zeros((3, 3))
    centre = sum(body[0] * body[1] for body in bodies) / mass
    inertia = np.zeros((3, 3))
    for m, c, own in bodies:
        arm = c - centre
        inertia += own + m * (arm @ arm * np.eye(3) - np.outer(arm, arm))
    return mass, centre, inertia


def followers(path):
    """Joints that follow others: leader, multiplier, offset."""
    import xml.etree.ElementTree as tree

    mimics = {}
    try:
        root = tree.parse(path).getroot()
    except tree.ParseError:
        # Files that only the program repairs have no mimic joints.
        return mimics
    for joint in root.findall("joint"):
        mimic = joint.find("mimic")
        if mimic is not None:
            mimics[joint.get("name")] = (
                mimic.get("joint"), float(mimic.get("multiplier", 1)), float(mimic.get("offset", 0)))
    return mimics


def position(name, values, mimic, depth=0):
    if name in mimic and depth < 50 and position(mimic[name][0], values, mimic, depth + 1) is not None:
        leader, multiplier, offset = mimic[name]
        value = position(leader, values, mimic, depth + 1)
        return None if value is None else multiplier * value + offset
    return values.get(name)


def configuration(model, values, mimic):
    q = pin.neutral(model)
    for at in range(1, model.njoints):
        joint, name = model.joints[at], model.names[at]
        value = position(name, values, mimic)
        if name == "root_joint" or value is None:
            continue
        if joint.nq == 1:
            q[joint.idx_q] = value
        elif joint.nq == 2 and joint.nv == 1:
            q[joint.idx_q:joint.idx_q + 2] = [math.cos(value), math.sin(value)]
    return q


def compared(program, path, allowed, seed):
    """The greatest differences, and where."""
    model = pin.buildModelFromUrdf(path, pin.JointModelFreeFlyer())
    # A body without mass has no inertia here: an immovable base, or a link whose mass follows from its shapes.
    for own in model.inertias:
        if own.mass == 0.0:
            own.setZero()
    data, mimic = model.createData(), followers(path)
    rng = np.random.default_rng(seed)
    scene = inspected(program, path, allowed, {})
    worst = (0.0, "")
    for number in range(POSITIONS):
        values = {name: float(rng.uniform(-1, 1)) for name in scene["variables"]} if number else {}
        read = inspected(program, path, allowed, values)
        absolute = read.get("absolute", read["absolute_at_zero"])
        known = {name: 0.0 for name in scene["variables"]} | values
        q = configuration(model, known, mimic)
        pin.framesForwardKinematics(model, data, q)
        pin.ccrba(model, data, q, np.zeros(model.nv))
        for at, frame in enumerate(model.frames):
            if frame.type != pin.FrameType.BODY or frame.name == "universe":
                continue
            if frame.name not in absolute:
                return 1.0, f"link {frame.name} is not there"
            apart = pose(absolute[frame.name]).inverse() * data.oMf[at]
            size = 1.0 + np.linalg.norm(data.oMf[at].translation)
            gap = max(np.linalg.norm(apart.translation) / size, np.linalg.norm(pin.log3(apart.rotation)))
            worst = max(worst, (gap, f"link {frame.name}"))
        mass, centre, inertia = whole(read, absolute)
        expected = pin.computeTotalMass(model)
        scale = max(expected, 1e-9)
        worst = max(worst, (abs(mass - expected) / scale, f"mass {mass} {expected}"))
        if expected > 0.0:
            own = data.Ig.inertia
            worst = max(worst, (np.linalg.norm(centre - data.com[0]), "centre of mass"))
            worst = max(worst, (np.linalg.norm(inertia - own) / max(np.linalg.norm(own), 1e-9), "inertia"))
    return worst


def main():
    words = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    words.add_argument("pattern", nargs="?", default="")
    words.add_argument("--program", default="target/debug/morse-sim")
    words.add_argument("--all", action="store_true")
    words.add_argument("--count", action="store_true", help="do not compare")
    words = words.parse_args()
    paths, allowed = descriptions(words.all)
    paths = [path for path in paths if words.pattern in path]
    counts, codes, compare = collections.Counter(), collections.Counter(), collections.Counter()
    for seed, path in enumerate(paths):
        short = os.path.relpath(path, allowed)
        report = checked(words.program, path, allowed)
        if report is None:
            counts["crashed"] += 1
            print("CRASHED", short)
            continue
        errors = [one for one in report["diagnostics"] if one["severity"] == "error"]
        codes.update(one["code"] for one in report["diagnostics"] if one["severity"] != "error")
        if errors:
            counts["refused"] += 1
            print("REFUSED", short, "|", errors[0]["code"], errors[0]["message"][:160])
        else:
            counts["with warnings" if report["diagnostics"] else "fine"] += 1
        if errors or words.count:
            continue
        try:
            gap, where = compared(words.program, path, allowed, seed)
        except ValueError as refusal:
            compare["refused by Pinocchio"] += 1
            print("PINOCCHIO", short, "|", str(refusal).splitlines()[0][:160])
            continue
        compare["same" if gap <= LARGEST else "different"] += 1
        if gap > LARGEST:
            print("DIFFERS", short, "|", gap, where)
    print(len(paths), "descriptions:", dict(counts))
    print("warnings:", dict(codes.most_common()))
    print("kinematics, mass, centre and inertia beside Pinocchio:", dict(compare))
    sys.exit(1 if compare["different"] or counts["crashed"] else 0)


main()
