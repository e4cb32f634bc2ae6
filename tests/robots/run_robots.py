#!/usr/bin/env python3
"""Run robots of other people for ten seconds with sensors, check what they did, and draw them.

    python3 -m venv venv && venv/bin/pip install example-robot-data pybullet gymnasium gymnasium-robotics dm_control
    apt install dart-doc
    venv/bin/python tests/robots/run_robots.py [--program target/debug/morse-sim] [--pictures DIRECTORY] [PATTERN]

Arms hold their postures, quadrupeds stand, bases and a car drive, a drone flies to a point, humanoids fall, a hand closes. The
exit code is 1 if a robot does anything else.
"""
import argparse, csv, json, math, pathlib, shutil, site, subprocess, sys, tempfile, time

HERE = pathlib.Path(site.getsitepackages()[0])
DATA = HERE / "cmeel.prefix/share/example-robot-data/robots"
BULLET = HERE / "pybullet_data"
DART = pathlib.Path("/usr/share/doc/dart/data/sdf")
POSE = '"pose": (kind: "pose", frequency: 20, MOUNT outputs: {"log": (format: csv)})'
JOINTS = '"joints": (kind: "joint_state", frequency: 20, outputs: {"log": (format: csv)})'
IMU = '"imu": (kind: "imu", frequency: 20, outputs: {"log": (format: csv)})'


def held(positions, stiffness, damping):
    """Settings of joints that are held at positions."""
    held = [f'"{name}": (position: {at}, target: {at}, stiffness: {stiffness}, damping: {damping})' for name, at in positions.items()]
    return "joints: {" + ", ".join(held) + "},"


def scan(frame, up=0.0):
    mount = f"(frame: \"{frame}\", translation: (0, 0, {up}))"
    return f'"scan": (kind: "laser_scanner", frequency: 10, mount: {mount}, outputs: {{"log": (format: csv)}})'


class Log:
    """What the sensors of a run measured."""

    def __init__(self, directory):
        self.directory = directory

    def rows(self, sensor):
        with open(self.directory / f"it.{sensor}.csv", newline="") as file:
            return list(csv.DictReader(file, delimiter=";"))

    def joints(self):
        row = self.rows("joints")[-1]
        return dict(zip(json.loads(row["names"]), json.loads(row["positions"])))

    def pose(self, at=-1):
        row = self.rows("pose")[at]
        return [float(row[name]) for name in ("x", "y", "z", "roll", "pitch", "yaw")]

    def tilt(self):
        """Angle of the robot's axis to the vertical at the end."""
        _, _, _, roll, pitch, _ = self.pose()
        return math.acos(max(-1.0, min(1.0, math.cos(roll) * math.cos(pitch))))


def holds(positions, largest):
    """An arm or hand is where it was told to be."""

    def verdict(log):
        joints = log.joints()
        apart, name = max((abs(joints[name] - at), name) for name, at in positions.items())
        return apart < largest, f"largest deviation {apart:.4f} rad, of {name}"

    return verdict


def stands(height, largest=0.15):
    def verdict(log):
        z, tilt = log.pose()[2], log.tilt()
        moved = 1000 * math.dist(log.pose()[:3], log.pose(-41)[:3])
        return z > height and tilt < largest and moved < 10, f"height {z:.3f} m, tilt {tilt:.3f} rad, {moved:.1f} mm in the last 2 s"

    return verdict


def falls(height):
    def verdict(log):
        heights = [float(row["z"]) for row in log.rows("pose")]
        fastest = 20 * max(abs(one - other) for one, other in zip(heights, heights[1:]))
        well = heights[0] > height > heights[-1] > 0 and fastest < 8
        return well, f"height {heights[0]:.2f} m, then {heights[-1]:.2f} m, at most {fastest:.1f} m/s"

    return verdict


def drives(least, turn):
    def verdict(log):
        yaws = [float(row["yaw"]) for row in log.rows("pose")]
        yaw = sum(math.remainder(other - one, 2 * math.pi) for one, other in zip(yaws, yaws[1:]))
        apart = math.dist(log.pose()[:2], log.pose(0)[:2])
        well = apart > least and abs(yaw - turn) < 0.25 * abs(turn) + 0.1 and log.tilt() < 0.1
        return well, f"{apart:.2f} m away, turned by {yaw:.2f} rad"

    return verdict


def hovers(goal):
    def verdict(log):
        apart = math.dist(log.pose()[:3], goal)
        return apart < 0.1 and log.tilt() < 0.05, f"{apart:.3f} m from its goal, tilt {log.tilt():.3f} rad"

    return verdict


def robot(model, verdict, at=(0, 0, 0), base="dynamic", joints="", sensors=(), actuators="", pose_of=""):
    """The simulation file of a robot, and its verdict."""
    mount = f'mount: (frame: "{pose_of}"),' if pose_of else ""
    sensors = ", ".join([POSE.replace("MOUNT", mount), JOINTS, *sensors])
    text = f'''Simulation(
    scene: "environments/empty.robray",
    environment: (rate: 240, seed: 1),
    robots: {{ "it": (model: {json.dumps(str(model))}, base: {base}, at: (translation: {at}), {joints}
        sensors: {{ {sensors} }}, actuators: {{ {actuators} }}) }},
    middlewares: {{ "log": (kind: "text", directory: "log") }},
)
'''
    return text, verdict


PANDA = {f"panda_joint{number}": at for number, at in zip(range(1, 8), (0.3, -0.785, 0, -2.356, 0, 1.571, 0.785))}
UR5 = dict(zip(
    ("shoulder_pan_joint", "shoulder_lift_joint", "elbow_joint", "wrist_1_joint", "wrist_2_joint", "wrist_3_joint"),
    (0.4, -1.2, 1.4, -1.7, -1.571, 0.2),
))
GO2 = {f"{leg}_{link}_joint": at for leg in ("FL", "FR", "RL", "RR") for link, at in (("hip", 0), ("thigh", 0.8), ("calf", -1.5))}
A1 = {f"{leg}_{link}_joint": at for leg in ("FL", "FR", "RL", "RR") for link, at in (("hip", 0), ("upper", 0.8), ("lower", -1.5))}
TIAGO = {"torso_lift_joint": 0.1, "head_1_joint": 0, "head_2_joint": -0.3} | {
    f"arm_{number}_joint": at for number, at in zip(range(1, 8), (0.2, -1.2, -0.2, 1.9, -1.5, 1.3, 0))
}
FINGERS = {f"robot0:{finger}J{number}": 1.0 for finger in ("FF", "MF", "RF", "LF") for number in (1, 2, 3) if (finger, number) != ("LF", 3)}
FINGERS |= {f"robot0:{finger}J3": 0.0 for finger in ("FF", "MF", "RF")}

ROBOTS = {
    "panda": lambda: robot(
        DATA / "panda_description/urdf/panda.urdf", holds(PANDA, 0.02), base="fixed", joints=held(PANDA, 4000, 200),
        sensors=(scan("panda_hand"),)),
    "ur5": lambda: robot(
        DATA / "ur_description/urdf/ur5_robot.urdf", holds(UR5, 0.02), base="fixed", joints=held(UR5, 6000, 300)),
    "go2": lambda: robot(
        DATA / "go2_description/urdf/go2.urdf", stands(0.2), at=(0, 0, 0.36), joints=held(GO2, 200, 8),
        sensors=(IMU, scan("radar", 0.1))),
    "a1": lambda: robot(BULLET / "a1/a1.urdf", stands(0.2), at=(0, 0, 0.36), sensors=(IMU,), joints=held(A1, 200, 8)),
    "husky": lambda: robot(
        BULLET / "husky/husky.urdf", drives(1.5, 2.0), at=(0, 0, 0.14), sensors=(IMU, scan("top_plate_link", 0.3)),
        actuators='"motion": (kind: "v_omega_diff", left: ["front_left_wheel", "rear_left_wheel"],'
        ' right: ["front_right_wheel", "rear_right_wheel"], start: (v: 0.5, w: 0.2))'),
    "tiago": lambda: robot(
        DATA / "tiago_description/robots/tiago.urdf", drives(2.0, 1.0), at=(0, 0, 0.01), joints=held(TIAGO, 3000, 150),
        sensors=(scan("base_link", 0.3),),
        actuators='"motion": (kind: "v_omega_diff", left: ["wheel_left_joint"], right: ["wheel_right_joint"], start: (v: 0.3, w: 0.1))'),
    "racecar": lambda: robot(
        BULLET / "racecar/racecar.urdf", drives(2.0, 2.5), at=(0, 0, 0.06), sensors=(scan("laser"),),
        actuators='"motion": (kind: "ackermann", driven: ["left_rear_wheel_joint", "right_rear_wheel_joint"],'
        ' steer_left: ["left_steering_hinge_joint"], steer_right: ["right_steering_hinge_joint"], start: (v: 0.5, w: 0.25))'),
    "iris": lambda: robot(
        DATA / "iris_description/robots/iris.urdf", hovers((1, 0.5, 1.5)), at=(0, 0, 0.1), sensors=(IMU,),
        actuators='"flight": (kind: "rotorcraft_waypoint", start: (x: 1, y: 0.5, z: 1.5))'),
    "humanoid": lambda: robot(
        HERE / "gymnasium/envs/mujoco/assets/humanoid.xml", falls(0.8), sensors=(IMU,), pose_of="torso"),
    "atlas": lambda: robot(DART / "atlas/atlas_v3_no_head.sdf", falls(0.6), at=(0, 0, 0.95), sensors=(IMU,)),
    "hand": lambda: robot(
        HERE / "gymnasium_robotics/envs/assets/hand/reach.xml", holds(FINGERS, 0.05), base="fixed", joints=held(FINGERS, 5, 0.2)),
}


def run(program, name, directory, pictures):
    """Runs one robot; returns whether it did what it should, and what it did."""
    text, verdict = ROBOTS[name]()
    (directory / f"{name}.ron").write_text(text)
    shutil.rmtree(directory / "log", ignore_errors=True)
    words = [program, f"{name}.ron", "--until", "10s", "--json", "--allow-path", str(HERE), "--allow-path", str(DART)]
    if pictures:
        words += ["--screenshot", f"t=10s:{pictures / name}.png"]
    started = time.monotonic()
    done = subprocess.run(words, cwd=directory, capture_output=True, text=True)
    if done.returncode != 0:
        return False, done.stderr[-2000:]
    well, what = verdict(Log(directory / "log"))
    return well, f"{what}; {time.monotonic() - started:.1f} s of wall time"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", default="target/debug/morse-sim")
    parser.add_argument("--pictures", type=pathlib.Path, help="directory for a picture of each at its end")
    parser.add_argument("pattern", nargs="?", default="")
    given = parser.parse_args()
    program = str(pathlib.Path(given.program).resolve())
    pictures = given.pictures and given.pictures.resolve()
    if pictures:
        pictures.mkdir(parents=True, exist_ok=True)
    wrong = 0
    with tempfile.TemporaryDirectory() as directory:
        for name in (name for name in ROBOTS if given.pattern in name):
            well, what = run(program, name, pathlib.Path(directory), pictures)
            print(f"{name}: {'as expected' if well else 'WRONG'}: {what}", flush=True)
            wrong += not well
    sys.exit(wrong > 0)


if __name__ == "__main__":
    main()
