#!/usr/bin/env python3
"""Write `coupled.json`: springs of the joints of `coupled.xml`, and the forces on the joint `left`, by MuJoCo.

`right` and `tip` follow `left`. The force on `left` is the sum of all generalised forces times the velocities of their joints
per velocity of `left`; it is linear in position and velocity, so that differences give stiffness, target and damping.
"""
import json, pathlib

import mujoco
import numpy as np

here = pathlib.Path(__file__).parent
model = mujoco.MjModel.from_xml_path(str(here / "coupled.xml"))
data = mujoco.MjData(model)
expected = {"springs": {}}
for name in "abc":
    joint = model.joint(name)
    expected["springs"][name] = {
        "stiffness": float(np.ravel(model.jnt_stiffness[joint.id])[0]),
        "damping": float(np.ravel(model.dof_damping[joint.dofadr[0]])[0]),
    }
left, right, tip = (model.joint(name) for name in ("left", "right", "tip"))
# Deviations: right = 0.1 - left / 2, 2 tip + right / 2 = 0.05.
RATIOS = {"left": 1.0, "right": -0.5, "tip": 0.125}
OFFSETS = {"left": 0.0, "right": 0.1, "tip": 0.0}


def force(position, velocity):
    """Force on `left` of springs, dampers and actuators."""
    mujoco.mj_resetDataKeyframe(model, data, 0)
    data.qvel[:] = 0.0
    for joint in (left, right, tip):
        start = model.qpos0[joint.qposadr[0]]
        deviation = position - model.qpos0[left.qposadr[0]]
        data.qpos[joint.qposadr[0]] = start + OFFSETS[joint.name] + RATIOS[joint.name] * deviation
        data.qvel[joint.dofadr[0]] = RATIOS[joint.name] * velocity
    mujoco.mj_forward(model, data)
    forces = data.qfrc_passive + data.qfrc_actuator
    return sum(RATIOS[joint.name] * forces[joint.dofadr[0]] for joint in (left, right, tip))


# The limit of the actuator's force is not part of the law.
model.actuator_forcelimited[:] = 0
start = float(model.qpos0[left.qposadr[0]])
stiffness = -(force(start + 0.01, 0.0) - force(start, 0.0)) / 0.01
expected["left"] = {
    "stiffness": stiffness,
    "target": start + force(start, 0.0) / stiffness,
    "damping": -(force(start, 0.01) - force(start, 0.0)) / 0.01,
}


def length(position):
    force(position, 0.0)
    return float(data.ten_length[model.tendon("split").id])


def where(value, of):
    """Position of `left` at which a linear function has a value."""
    slope = (of(start + 1.0) - of(start)) / 1.0
    return start + (value - of(start)) / slope


def other(position):
    force(position, 0.0)
    return float(data.qpos[right.qposadr[0]])


ends = [sorted(where(end, of) for end in ends) for of, ends in (
    (lambda position: position, model.jnt_range[left.id]),
    (other, model.jnt_range[right.id]),
    (length, model.tendon_range[model.tendon("split").id]),
)]
expected["left"]["range"] = [max(end[0] for end in ends), min(end[1] for end in ends)]
(here / "coupled.json").write_text(json.dumps(expected, indent=1) + "\n")
