"""S5 in MuJoCo: from the file to the end of the first step; the library is there already."""
import math
import os
import tempfile

import mujoco

import measure
import scenes


def write(path, count):
    with open(path, "w", encoding="utf-8") as file:
        file.write('<mujoco><worldbody><geom type="plane" size="200 200 1"/>\n')
        for number, (x, y, a, b, yaw) in enumerate(scenes.load(count)):
            file.write(
                f'<body name="box_{number}" pos="{x} {y} 0.5" quat="{math.cos(yaw / 2):.7f} 0 0 {math.sin(yaw / 2):.7f}">'
                f'<geom type="box" size="{a:.6f} {b:.6f} 0.5"/></body>\n'
            )
        file.write('<body pos="0 0 1"><freejoint/><geom type="box" size=".05 .05 .05" mass="1"/></body>\n')
        file.write("</worldbody></mujoco>\n")


args = measure.arguments()
path = args.file or os.path.join(tempfile.mkdtemp(), "load.xml")
if not os.path.exists(path):
    write(path, args.n)
watch = measure.Stopwatch()
model = mujoco.MjModel.from_xml_path(path)
data = mujoco.MjData(model)
load = watch.elapsed()[0]
mujoco.mj_step(model, data)
time = watch.elapsed()
# The ground and the cube are geoms, too.
boxes = int(model.ngeom) - 2
check = {"passed": bool(boxes == args.n and 0.99 < data.qpos[2] <= 1), "boxes": boxes, "of": args.n}
measure.report("mujoco", mujoco.__version__, "load", args, time, check, ticks=1, bodies=args.n, load=load)
if not args.file:
    os.remove(path)
    os.rmdir(os.path.dirname(path))
