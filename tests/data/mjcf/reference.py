#!/usr/bin/env python3
"""Write `mujoco.json`: poses and masses of the bodies of `arm.xml` by MuJoCo 3.17, at five positions of its joints."""
import json, pathlib, sys

import mujoco
import numpy as np

here = pathlib.Path(__file__).parent
sys.path.insert(0, str(here.parent.parent / "robots"))
import compare_mjcf

model = mujoco.MjModel.from_xml_path(str(here / "arm.xml"))
data = mujoco.MjData(model)
generator = np.random.default_rng(7)
bodies = {index: model.body(index).name or "wrist-body" for index in range(1, model.nbody)}
cases, masses = [], {}
# The other joint follows.
known = {model.joint(index).name for index in range(model.njnt)} - {"thumb"}
for _ in range(5):
    mujoco.mj_resetData(model, data)
    values = compare_mjcf.random_position(model, data, generator, bodies, known)
    mujoco.mj_kinematics(model, data)
    poses = {name: [*data.xpos[index], *data.xquat[index][[1, 2, 3, 0]]] for index, name in bodies.items()}
    turn = np.zeros(4)
    mujoco.mju_mat2Quat(turn, data.site("tip").xmat)
    poses["tip"] = [*data.site("tip").xpos, *turn[[1, 2, 3, 0]]]
    cases.append({"at": values, "poses": poses})
for index, name in bodies.items():
    turn = compare_mjcf.matrix(model.body_iquat[index])
    own = turn @ np.diag(model.body_inertia[index]) @ turn.T
    inertia = [own[0, 0], own[1, 1], own[2, 2], own[0, 1], own[0, 2], own[1, 2]]
    masses[name] = {"mass": model.body_mass[index], "center": list(model.body_ipos[index]), "inertia": inertia}
(here / "mujoco.json").write_text(json.dumps({"cases": cases, "bodies": masses}, indent=1) + "\n")
