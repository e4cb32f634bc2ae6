#!/usr/bin/env python3
"""Write `masses.json`: poses, masses, centres and inertias of the bodies of `masses.xml` and `copies.xml` by MuJoCo.

    pip install mujoco==3.17.0
"""
import json, pathlib

import mujoco
import numpy as np

HERE = pathlib.Path(__file__).parent


def bodies(name):
    model = mujoco.MjModel.from_xml_path(str(HERE / f"{name}.xml"))
    data = mujoco.MjData(model)
    mujoco.mj_kinematics(model, data)
    bodies = {}
    for index in range(1, model.nbody):
        turn = np.zeros(9)
        mujoco.mju_quat2Mat(turn, model.body_iquat[index])
        turn = turn.reshape(3, 3)
        inertia = turn @ np.diag(model.body_inertia[index]) @ turn.T
        w, x, y, z = data.xquat[index].tolist()
        bodies[model.body(index).name] = {
            "pose": data.xpos[index].tolist() + [x, y, z, w],
            "mass": float(model.body_mass[index]),
            "center": model.body_ipos[index].tolist(),
            "inertia": [float(inertia[at]) for at in ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2))],
        }
    names = [model.actuator(index).name for index in range(model.nu)]
    return {"bodies": bodies, "actuators": names, "excludes": model.nexclude}


(HERE / "masses.json").write_text(json.dumps({name: bodies(name) for name in ("masses", "copies")}, indent=1) + "\n")
