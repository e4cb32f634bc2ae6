"""S2 in MuJoCo: robots are mocap bodies, and each scan is one call for all of its rays."""
import math

import mujoco
import numpy

import measure
import scenes

args = measure.arguments()
count = args.n
boxes = scenes.arena()
robots = scenes.robots(count, boxes)
geoms = "".join(
    f'<geom type="box" pos="{x} {y} 0.5" quat="{math.cos(yaw / 2)} 0 0 {math.sin(yaw / 2)}" size="{a} {b} 0.5"/>'
    for x, y, a, b, yaw in boxes
)
cylinder = '<body mocap="true"><geom type="cylinder" size=".15 .15" contype="0" conaffinity="0"/></body>'
text = (
    f'<mujoco><option timestep="{scenes.TICK}"/><worldbody><geom type="plane" size="50 50 1"/>'
    f"{geoms}{cylinder * count}</worldbody></mujoco>"
)
loading = measure.Stopwatch()
model = mujoco.MjModel.from_xml_string(text)
data = mujoco.MjData(model)
load = loading.elapsed()[0]

x, y, yaw, turn = (numpy.array(column) for column in zip(*robots))
degrees = numpy.radians(numpy.arange(360))
ranges = numpy.empty((count, 360))
geom = numpy.empty((count, 360), numpy.int32)
rays = numpy.zeros((360, 3))
pose, odometry = numpy.empty((count, 7)), numpy.empty((count, 3))


def set_poses():
    data.mocap_pos[:, 0], data.mocap_pos[:, 1], data.mocap_pos[:, 2] = x, y, 0.15
    data.mocap_quat[:, 0], data.mocap_quat[:, 3] = numpy.cos(yaw / 2), numpy.sin(yaw / 2)


def drive():
    """Exact but for the arc's chord: along the heading in the middle of the tick."""
    middle = yaw + turn * scenes.TICK / 2
    way = scenes.CIRCLE * scenes.TICK
    dx, dy = way * numpy.cos(middle), way * numpy.sin(middle)
    cosine, sine = numpy.cos(yaw), numpy.sin(yaw)
    odometry[:, 0], odometry[:, 1] = cosine * dx + sine * dy, cosine * dy - sine * dx
    odometry[:, 2] = turn * scenes.TICK
    x[:] += dx
    y[:] += dy
    yaw[:] += odometry[:, 2]


def scan():
    for robot in range(count):
        angles = degrees + yaw[robot]
        rays[:, 0], rays[:, 1] = numpy.cos(angles), numpy.sin(angles)
        eye = numpy.array([x[robot], y[robot], scenes.SCANNER_HEIGHT])
        # Without the robot's own body: its index follows the world and the robots before it.
        mujoco.mj_multiRay(
            model, data, eye, rays.ravel(), None, True, robot + 1, geom[robot], ranges[robot], None, 360, scenes.RANGE
        )
    ranges[(ranges < 0) | (ranges > scenes.RANGE)] = scenes.RANGE


set_poses()
mujoco.mj_forward(model, data)
scan()
check = scenes.check_scans(boxes, list(zip(x, y, yaw)), ranges.tolist())
ticks = round(args.seconds * 60)
cast = 0
watch = measure.Stopwatch()
for tick in range(ticks):
    drive()
    set_poses()
    mujoco.mj_step(model, data)
    if tick % 6 == 5:
        mujoco.mj_kinematics(model, data)
        scan()
        cast += 360 * count
    pose[:, :3], pose[:, 3:] = data.xpos[1:], data.xquat[1:]
time = watch.elapsed()
measure.report("mujoco", mujoco.__version__, "lidar_fleet", args, time, check, ticks=ticks, bodies=count, rays=cast, load=load)
