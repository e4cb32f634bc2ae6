"""S3 in MuJoCo: all arms in one world, position actuators, one step of 1/240 s for each command."""
import math

import mujoco
import numpy

import measure
import scenes
from mujoco_iiwa import arm, motors

args = measure.arguments()
count = args.n
RATE = 240
text = (
    f'<mujoco><compiler angle="radian" eulerseq="XYZ"/><option timestep="{1 / RATE}" integrator="implicitfast"/>'
    '<worldbody><geom type="plane" size="200 200 1" contype="1" conaffinity="2"/>'
    f'{"".join(arm(index, count) for index in range(count))}</worldbody><actuator>{"".join(map(motors, range(count)))}</actuator></mujoco>'
)
loading = measure.Stopwatch()
model = mujoco.MjModel.from_xml_string(text)
data = mujoco.MjData(model)
load = loading.elapsed()[0]
phase = 0.7 * numpy.arange(7)[None, :] + 0.1 * numpy.arange(count)[:, None]


def targets(seconds):
    return (0.5 * numpy.sin(2 * math.pi * 0.2 * seconds + phase)).ravel()


data.qpos[:] = targets(0)
mujoco.mj_forward(model, data)
position, speed = numpy.empty(7 * count), numpy.empty(7 * count)
ticks = round(args.seconds * RATE)
settled = min(2 * RATE, ticks // 2)
lag = 0.0
watch = measure.Stopwatch()
for tick in range(ticks):
    wanted = targets(tick / RATE)
    data.ctrl[:] = wanted
    mujoco.mj_step(model, data)
    if tick % 4 == 0:
        position[:], speed[:] = data.qpos, data.qvel
        if tick >= settled:
            lag = max(lag, float(numpy.abs(position - wanted).max()))
time = watch.elapsed()
check = scenes.check_arms(lag, numpy.abs(speed).max())
measure.report("mujoco", mujoco.__version__, "arm", args, time, check, ticks=ticks, tick=1 / RATE, bodies=count, load=load)
