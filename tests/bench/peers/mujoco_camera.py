"""S6 in MuJoCo, drawn by the OpenGL that there is: `MUJOCO_GL` says through what (egl unless given)."""
import math
import os

os.environ.setdefault("MUJOCO_GL", "egl")
import mujoco
import numpy

import measure
import scenes

args = measure.arguments()
WIDTH, HEIGHT = 640, 480
boxes = scenes.arena()
geoms = "".join(
    f'<geom type="box" pos="{x} {y} 0.5" quat="{math.cos(yaw / 2)} 0 0 {math.sin(yaw / 2)}" size="{a} {b} 0.5" rgba=".8 .3 .2 1"/>'
    for x, y, a, b, yaw in boxes
)
cylinders = "".join(
    f'<geom type="cylinder" pos="{x} {y} .15" size=".15 .15" rgba=".2 .4 .8 1"/>' for x, y, *_ in scenes.robots(args.n, boxes)
)
text = (
    f'<mujoco><visual><global offwidth="{WIDTH}" offheight="{HEIGHT}"/><map znear="0.001"/></visual><worldbody>'
    '<light directional="true" dir="0.3 0.4 -1" castshadow="false"/><geom type="plane" size="50 50 1" rgba=".5 .5 .5 1"/>'
    f'{geoms}{cylinders}<body name="middle"/>'
    '<camera name="eye" fovy="60" mode="targetbody" target="middle" pos="-18.5 -18.5 3"/></worldbody></mujoco>'
)
loading = measure.Stopwatch()
model = mujoco.MjModel.from_xml_string(text)
data = mujoco.MjData(model)
card = mujoco.GLContext(WIDTH, HEIGHT)
card.make_current()
scene, option, view = mujoco.MjvScene(model, 2000), mujoco.MjvOption(), mujoco.MjvCamera()
scene.flags[mujoco.mjtRndFlag.mjRND_SHADOW] = scene.flags[mujoco.mjtRndFlag.mjRND_REFLECTION] = 0
view.type, view.fixedcamid = mujoco.mjtCamera.mjCAMERA_FIXED, 0
context = mujoco.MjrContext(model, mujoco.mjtFontScale.mjFONTSCALE_100)
mujoco.mjr_setBuffer(mujoco.mjtFramebuffer.mjFB_OFFSCREEN, context)
context.readDepthMap = mujoco.mjtDepthMap.mjDEPTH_ZERONEAR
whole = mujoco.MjrRect(0, 0, WIDTH, HEIGHT)
load = loading.elapsed()[0]
color, buffer = numpy.empty((HEIGHT, WIDTH, 3), numpy.uint8), numpy.empty((HEIGHT, WIDTH), numpy.float32)
near, far = (plane * model.stat.extent for plane in (model.vis.map.znear, model.vis.map.zfar))


def frame():
    """Moves the camera, and returns the depths in metres."""
    model.cam_pos[0, 0] += 0.01
    mujoco.mj_forward(model, data)
    mujoco.mjv_updateScene(model, data, option, None, view, mujoco.mjtCatBit.mjCAT_ALL, scene)
    mujoco.mjr_render(whole, scene, context)
    mujoco.mjr_readPixels(color, buffer, whole, context)
    return near / (1 - buffer * (1 - near / far))


frame()
frames = 0
watch = measure.Stopwatch()
while watch.elapsed()[0] < args.seconds:
    depth = frame()
    frames += 1
time = watch.elapsed()
middle, mean = float(numpy.median(depth)), float(color.mean())
# Our scene has 22 m there, and any picture of it has the same.
check = {
    "passed": bool(20 < middle < 25 and 20 < mean < 235),
    "median_depth": round(middle, 4),
    "rgb_mean": round(mean, 3),
}
measure.report("mujoco", mujoco.__version__, "camera", args, time, check, frames=frames, load=load)
