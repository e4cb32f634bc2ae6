"""Writes trees.json: random trees of joints, and their dynamics as Pinocchio calculates them.

    pip install pin==4.1.0 && python3 tests/data/mechanisms/trees.py > tests/data/mechanisms/trees.json
"""
import json

import numpy as np
import pinocchio as pin

RANDOM = np.random.default_rng(12)
SIZES = [(1, False), (2, False), (3, True), (5, False), (7, False), (10, True), (14, True), (20, False), (30, True)]
KINDS = ["revolute", "revolute", "revolute", "prismatic", "ball", "planar"]
DIGITS = 12


def vector(size=3, scale=1.0):
    return np.round(RANDOM.uniform(-scale, scale, size), 6)


def unit(size):
    drawn = RANDOM.normal(size=size)
    return drawn / np.linalg.norm(drawn)


def joint_of(kind, axis):
    if kind == "revolute":
        return pin.JointModelRevoluteUnaligned(axis)
    if kind == "prismatic":
        return pin.JointModelPrismaticUnaligned(axis)
    return {"ball": pin.JointModelSpherical, "planar": pin.JointModelPlanar, "floating": pin.JointModelFreeFlyer}[kind]()


def tree(size, floats):
    model = pin.Model()
    links, positions = [], []
    for at in range(size):
        # Depth first, as Pinocchio expects it: on the link before, or on one of those that it hangs on.
        way = [at - 1] if at else [-1]
        while way[-1] >= (1 if floats else 0):
            way.append(-1 if links[way[-1]]["parent"] is None else links[way[-1]]["parent"])
        parent = way[0] if RANDOM.uniform() < 0.6 else int(RANDOM.choice(way))
        kind = "floating" if floats and at == 0 else KINDS[RANDOM.integers(len(KINDS))]
        axis, quaternion, position = unit(3), unit(4), vector()
        mass, center = round(RANDOM.uniform(0.1, 3.0), 6), vector(scale=0.3)
        half = RANDOM.uniform(-0.3, 0.3, (3, 3))
        about = np.round(half @ half.T + 0.01 * np.eye(3), 9)
        pose = pin.XYZQUATToSE3(np.concatenate([position, quaternion]))
        joint = model.addJoint(parent + 1, joint_of(kind, axis), pose, f"joint_{at}")
        model.appendBodyToJoint(joint, pin.Inertia(mass, center, about), pin.SE3.Identity())
        links.append(
            {
                "parent": None if parent < 0 else parent,
                "kind": kind,
                "axis": axis.tolist(),
                "position": position.tolist(),
                "quaternion": quaternion.tolist(),
                "mass": mass,
                "center": center.tolist(),
                "inertia": about.flatten().tolist(),
            }
        )
        # Pinocchio keeps a planar angle as cosine and sine.
        ours = {"ball": unit(4), "planar": vector(3, 2.0), "floating": np.concatenate([vector(), unit(4)])}.get(kind)
        positions.append(vector(1, 2.0) if ours is None else ours)
    theirs = [
        np.array([p[0], p[1], np.cos(p[2]), np.sin(p[2])]) if link["kind"] == "planar" else p
        for p, link in zip(positions, links)
    ]
    q, v, a, effort = np.concatenate(theirs), vector(model.nv, 2.0), vector(model.nv, 3.0), vector(model.nv, 5.0)
    data = model.createData()
    bias = pin.nonLinearEffects(model, data, q, v).copy()
    inverse = pin.rnea(model, data, q, v, a).copy()
    forward = pin.aba(model, data, q, v, effort).copy()
    mass = pin.crba(model, data, q).copy()
    mass = np.triu(mass) + np.triu(mass, 1).T
    center = pin.centerOfMass(model, data, q).copy()
    pin.computeJointJacobians(model, data, q)
    jacobian = pin.getJointJacobian(model, data, model.njoints - 1, pin.LOCAL_WORLD_ALIGNED)
    pin.computeAllTerms(model, data, q, v)
    energy = [pin.computeKineticEnergy(model, data, q, v), pin.computePotentialEnergy(model, data, q)]
    return {
        "links": links,
        "positions": np.concatenate(positions).tolist(),
        "velocities": v.tolist(),
        "accelerations": a.tolist(),
        "efforts": effort.tolist(),
        "mass_matrix": [number for row in range(model.nv) for number in mass[row, : row + 1].tolist()],
        "bias": bias.tolist(),
        "inverse": inverse.tolist(),
        "forward": forward.tolist(),
        "center": center.tolist(),
        "energy": energy,
        # Of the last link: linear above angular.
        "jacobian": jacobian.reshape(6, model.nv).T.tolist(),
    }


def rounded(value):
    if isinstance(value, float):
        return float(f"{value:.{DIGITS}e}")
    if isinstance(value, list):
        return [rounded(entry) for entry in value]
    if isinstance(value, dict):
        return {key: rounded(entry) for key, entry in value.items()}
    return value


trees = [tree(*size) for size in SIZES]
inputs = {"links", "positions", "velocities", "accelerations", "efforts"}
# Inputs keep all their digits: what follows from them must not depend on rounding.
print("[")
lines = [json.dumps({key: value if key in inputs else rounded(value) for key, value in one.items()}) for one in trees]
print(",\n".join(lines))
print("]")
