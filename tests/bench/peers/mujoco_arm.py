"""S3 in MuJoCo: all arms in one world, position actuators, one step of 1/240 s for each command."""
import math

import mujoco
import numpy

import measure
import scenes

args = measure.arguments()
count = args.n
RATE = 240


def numbers(values):
    return " ".join(str(value) for value in values)


def geom(axis, radius, length):
    ends = (0, 0, 0, 0, 0, length) if axis == "z" else (0, 0, 0, 0, length, 0)
    return f'<geom type="cylinder" fromto="{numbers(ends)}" size="{radius}" contype="2" conaffinity="1"/>'


def arm(index):
    inner = ""
    for number, (at, rpy, limit, mass, center, inertia, shape) in reversed(list(enumerate(scenes.IIWA, 1))):
        inner = (
            f'<body pos="{numbers(at)}" euler="{numbers(rpy)}">'
            f'<inertial pos="{numbers(center)}" mass="{mass}" diaginertia="{numbers(inertia)}"/>'
            f'<joint name="arm{index}_{number}" axis="0 0 1" range="{-limit} {limit}" damping="0.5"/>'
            f"{geom(*shape)}{inner}</body>"
        )
    return f'<body pos="{numbers(scenes.arm_position(index, count))}">{geom("z", 0.12, 0.15)}{inner}</body>'


def motors(index):
    return "".join(
        f'<position joint="arm{index}_{number}" kp="{kp}" kv="{0.05 * kp}" forcerange="-300 300"/>'
        for number, kp in enumerate(scenes.STIFFNESS, 1)
    )


text = (
    f'<mujoco><compiler angle="radian" eulerseq="XYZ"/><option timestep="{1 / RATE}" integrator="implicitfast"/>'
    '<worldbody><geom type="plane" size="200 200 1" contype="1" conaffinity="2"/>'
    f'{"".join(map(arm, range(count)))}</worldbody><actuator>{"".join(map(motors, range(count)))}</actuator></mujoco>'
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
