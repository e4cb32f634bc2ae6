#!/usr/bin/env python3
"""Write `springs.json`: the joints of `springs.xml` after three seconds, by MuJoCo's Runge–Kutta method with steps of 0.1 ms."""
import json, pathlib

import mujoco

here = pathlib.Path(__file__).parent
model = mujoco.MjModel.from_xml_path(str(here / "springs.xml"))
model.opt.timestep = 1e-4
model.opt.integrator = mujoco.mjtIntegrator.mjINT_RK4
data = mujoco.MjData(model)
mujoco.mj_resetDataKeyframe(model, data, 0)
for _ in range(30_000):
    mujoco.mj_step(model, data)
names = [model.joint(index).name for index in range(model.njnt)]
joints = {name: [float(at), float(speed)] for name, at, speed in zip(names, data.qpos, data.qvel)}
(here / "springs.json").write_text(json.dumps(joints, indent=1) + "\n")
