"""Every sensor and actuator of MORSE's catalogue by its builder class: data in MORSE's order, services by MORSE's names."""
from __future__ import annotations

import re
import struct

from morse_sim.builder import table
from morse_sim.client import Morse

from .support import Room, Running, listed, needs_services

POSE = "timestamp x y z yaw pitch roll"
SENSORS = {
    "Pose": POSE,
    "Gyroscope": "timestamp yaw pitch roll",
    "GPS": "timestamp x y z",
    "GPS raw": "timestamp longitude latitude altitude velocity",
    "GPS extended": "timestamp longitude latitude altitude velocity date time heading",
    "Odometry": "timestamp x y z yaw pitch roll vx vy vz wz wy wx",
    "Odometry raw": "timestamp dS",
    "Odometry differential": "timestamp dx dy dz dyaw dpitch droll",
    "Velocity": "timestamp linear_velocity angular_velocity world_linear_velocity",
    "Accelerometer": "timestamp distance velocity acceleration angular_acceleration",
    "IMU": "timestamp angular_velocity linear_acceleration magnetic_field",
    "Attitude": "timestamp rotation angular_velocity",
    "Magnetometer": "timestamp x y z",
    "Barometer": "timestamp pressure",
    "RadarAltimeter": "timestamp z",
    "Airspeed": "timestamp diff_pressure",
    "Thermometer": "timestamp temperature",
    "Battery": "timestamp charge status",
    "Clock": "timestamp",
    "Proximity": "timestamp near_objects near_robots",
    "SearchAndRescue": "timestamp victim_dict",
    "SemanticCamera": "timestamp visible_objects",
    "VideoCamera": "timestamp height width image intrinsic_matrix distortion",
    "DepthCamera": "timestamp height width points nb_points intrinsic_matrix distortion",
    "Velodyne": "timestamp height width points nb_points intrinsic_matrix",
    "VLP16_180": "timestamp points nb_points",
    "Sick": "timestamp point_list range_list",
    "Hokuyo": "timestamp point_list range_list",
    "SickLDMRS rssi": "timestamp point_list range_list remission_list",
    "Infrared": "timestamp point_list range_list",
    "VelodyneRayCast": "timestamp point_list range_list",
}
"""Class and level, and the fields that MORSE documents, in its order."""

OWN_SERVICES = {
    "MotionVW": "set_speed stop",
    "Waypoint": "setdest goto stop resume get_status",
    "Teleport": "translate rotate",
    "RotorcraftWaypoint": "setdest goto get_status",
    "StabilizedQuadrotor": "set_cons stop",
    "PTU": "set_pan_tilt get_pan_tilt look_at_point look_at_object",
    "Gripper": "grab release",
    "Light": "toggle",
    "Arucomarker": "get_local_position get_local_orientation get_world_position get_world_orientation",
    "Proximity": "set_range set_tracked_tag",
    "SearchAndRescue": "heal get_robot_abilities get_victim_requirements get_victim_severity",
    "VideoCamera": "capture",
    "DepthCamera": "capture",
    "Pose": "get_local_data",
}
"""Services of MORSE's components besides the ones that all have."""

ACTUATORS = (
    "Arucomarker", "Destination", "ExternalForce", "ForceTorque", "Gripper", "Light", "MotionVW", "MotionXYW",
    "Orientation", "PTU", "Sound", "Teleport", "Waypoint",
)
FLYING = ("RotorcraftAttitude", "RotorcraftVelocity", "RotorcraftWaypoint", "QuadrotorDynamicControl")


def variable(name: str) -> str:
    return re.sub(r"\W", "_", name).lower()


def lines(robot: str, names: list) -> str:
    """A part of a script that puts one of each on a robot."""
    text = ""
    for name in names:
        kind, _, level = name.partition(" ")
        text += f"    {variable(name)} = {kind}()\n"
        if level:
            text += f"    {variable(name)}.level('{level}')\n"
        text += f"    {robot}.append({variable(name)})\n"
    return text + f"    {robot}.add_default_interface('socket')\n"


def there(names: list) -> list:
    """Those whose kinds the program has."""
    known = set(listed("sensors")) | set(listed("actuators"))
    kinds = {**table.SENSORS, **table.ACTUATORS}
    missing = [name for name in names if kinds[name.split(" ")[0]].kind not in known]
    assert not missing, missing
    return [name for name in names if name not in missing]


@needs_services
class Catalogue(Room):
    """One of each, read and asked."""

    def start(self, script: str) -> Morse:
        running = Running(self, script)
        running.wait_for("SCENE INITIALIZED")
        morse = Morse(port=running.port, timeout=30)
        self.addCleanup(morse.close, cancel_async_services=True)
        return morse

    def test_sensors(self) -> None:
        names = there(list(SENSORS))
        script = "\n    robot = ATRV()\n" + lines("robot", names)
        script += "    env = Environment('empty')\n"
        script += "    env.properties(latitude=43.6, longitude=1.43, altitude=135.0)\n"
        morse = self.start(script)
        for name in names:
            with self.subTest(name):
                reading = getattr(morse.robot, variable(name)).get(20)
                self.assertIsNotNone(reading, "nothing came")
                self.assertEqual(" ".join(reading), SENSORS[name])
        for name, services in OWN_SERVICES.items():
            if name in SENSORS and name in names:
                offered = getattr(morse.robot, variable(name)).services
                self.assertLessEqual(set(services.split()), set(offered), name)

    def test_numbers_of_a_robot_at_rest(self) -> None:
        script = "\n    robot = ATRV()\n    robot.translate(3, -2)\n    robot.rotate(z=0.5)\n"
        names = ["Pose", "IMU", "Barometer", "RadarAltimeter", "GPS raw", "Thermometer", "Battery", "Airspeed"]
        script += lines("robot", names) + "    radaraltimeter.translate(z=1)\n"
        script += "    env = Environment('empty')\n"
        script += "    env.properties(latitude=43.6, longitude=1.43, altitude=135.0)\n"
        morse = self.start(script)
        morse.sleep(1)
        read = {name: getattr(morse.robot, variable(name)).get(20) for name in names}
        self.assertAlmostEqual(read["Pose"]["x"], 3, delta=0.01)
        self.assertAlmostEqual(read["Pose"]["z"], 0.1, delta=0.02)
        self.assertAlmostEqual(read["Pose"]["yaw"], 0.5, delta=0.01)
        # Gravity, of MORSE's builder: 9.81 m/s² upwards.
        self.assertAlmostEqual(read["IMU"]["linear_acceleration"][2], 9.81, delta=0.05)
        # The standard atmosphere at the height of the start.
        self.assertAlmostEqual(read["Barometer"]["pressure"], 101325, delta=2)
        self.assertAlmostEqual(read["RadarAltimeter"]["z"], 1.1, delta=0.03)
        # A degree of latitude has 111.1 km at 43.6 degrees, one of longitude 80.7 km (WGS 84). The origin has 32 bits.
        latitude, longitude = struct.unpack("2f", struct.pack("2f", 43.6, 1.43))
        self.assertAlmostEqual(read["GPS raw"]["latitude"], latitude - 2 / 111100, delta=2e-7)
        self.assertAlmostEqual(read["GPS raw"]["longitude"], longitude + 3 / 80700, delta=2e-7)
        self.assertAlmostEqual(read["Thermometer"]["temperature"], 15, delta=1e-6)
        self.assertAlmostEqual(read["Battery"]["charge"], 100 - 0.05 * read["Battery"]["timestamp"], delta=0.01)
        self.assertAlmostEqual(read["Airspeed"]["diff_pressure"], 0, delta=0.01)

    def test_actuators(self) -> None:
        script = "\n    robot = ATRV()\n" + lines("robot", list(ACTUATORS))
        script += "    drone = Quadrotor()\n    drone.translate(z=5)\n" + lines("drone", list(FLYING))
        script += "    plane = QUAD2012()\n    plane.translate(x=5, z=5)\n" + lines("plane", ["StabilizedQuadrotor"])
        script += "    rover = Pioneer3DX()\n    rover.translate(y=5)\n" + lines("rover", ["MotionVWDiff"])
        script += "    car = Hummer()\n    car.translate(y=10, z=1.2)\n" + lines("car", ["SteerForce"])
        script += "    env = Environment('empty')\n"
        morse = self.start(script)
        owners = {**{name: "robot" for name in ACTUATORS}, **{name: "drone" for name in FLYING}}
        owners.update(StabilizedQuadrotor="plane", MotionVWDiff="rover", SteerForce="car")
        for name, owner in owners.items():
            component = getattr(getattr(morse, owner), variable(name))
            self.assertEqual(component.directions, {"IN"}, name)
            self.assertIn("get_properties", component.services, name)
            self.assertLessEqual(set(OWN_SERVICES.get(name, "").split()), set(component.services), name)
            component.publish({})
        # All of them are still there.
        self.assertEqual(sorted(morse.rpc("simulation", "list_robots")), ["car", "drone", "plane", "robot", "rover"])

    def test_wheels_drive(self) -> None:
        script = "\n    rover = Pioneer3DX()\n" + lines("rover", ["MotionVWDiff", "Pose"])
        morse = self.start(script + "    env = Environment('empty')\n")
        morse.sleep(0.5)
        before = morse.rover.pose.get(20)
        morse.rover.motionvwdiff.publish({"v": 0.5, "w": 0.0})
        morse.sleep(3)
        after = morse.rover.pose.get(20)
        self.assertAlmostEqual(after["x"] - before["x"], 1.5, delta=0.25)
        self.assertAlmostEqual(after["y"], before["y"], delta=0.1)

    def test_an_arm_is_bent(self) -> None:
        script = """
    robot = ATRV()
    arm = KukaLWR()
    arm.translate(z=0.8)
    robot.append(arm)
    joints = ArmaturePose()
    arm.append(joints)
    tip = Pose()
    tip.translate(z=1.3105)
    arm.append(tip)
    both = CompoundSensor([joints, tip])
    robot.append(both)
    robot.add_default_interface('socket')
    env = Environment('empty')
"""
        morse = self.start(script)
        self.assertEqual(morse.robot.arm.get_joints().result(20), [f"kuka_{number}" for number in range(1, 8)])
        up = morse.robot.arm.tip.get(20)
        # The robot's origin is at 0.1 m, the arm's foot 0.8 m above, and the arm is 1.3105 m long.
        self.assertAlmostEqual(up["z"], 0.1 + 0.8 + 1.3105, delta=0.03)
        morse.robot.arm.set_rotation("kuka_2", -1.57079632679).result(20)
        morse.sleep(0.2)
        self.assertAlmostEqual(morse.robot.arm.joints.get(20)["kuka_2"], -1.5708, delta=0.02)
        both = morse.robot.both.get(20)
        self.assertAlmostEqual(both["robot.arm.joints"]["kuka_2"], -1.5708, delta=0.02)
        self.assertIn("x", both["robot.arm.tip"])
        # MORSE: kuka_2 at -90 degrees brings the tip forward; it turns 0.3105 m above the foot.
        ahead = morse.robot.arm.tip.get(20)
        self.assertAlmostEqual(ahead["x"] - up["x"], 1.0, delta=0.03)
        self.assertAlmostEqual(ahead["z"], 0.1 + 0.8 + 0.3105, delta=0.03)
        morse.robot.arm.publish({"kuka_2": -0.5, "kuka_1": 0.3})
        morse.sleep(3)
        now = morse.robot.arm.joints.get(20)
        self.assertAlmostEqual(now["kuka_2"], -0.5, delta=0.02)
        self.assertAlmostEqual(now["kuka_1"], 0.3, delta=0.02)

    def test_people_and_things(self) -> None:
        script = """
    robot = ATRV()
    near = Proximity()
    near.properties(Track='Catch_me', Range=4)
    robot.append(near)
    search = SearchAndRescue()
    search.translate(z=0.3)
    robot.append(search)
    fire = Thermometer()
    robot.append(fire)
    battery = Battery()
    battery.properties(DischargingRate=10)
    robot.append(battery)
    robot.add_default_interface('socket')
    other = ATRV()
    other.translate(y=3)
    other.properties(Catch_me=True)
    far = ATRV()
    far.translate(y=9)
    far.properties(Catch_me=True)
    tape = PassiveObject('props/objects', 'WhiteVideotape')
    tape.properties(Fire=100)
    tape.translate(x=-5)
    zone = Zone(type='Charging')
    zone.size = [2, 2, 2]
    env = Environment('empty')
    victim = Victim()
    victim.translate(x=4)
"""
        morse = self.start(script)
        morse.sleep(1.5)
        self.assertEqual(list(morse.robot.near.get(20)["near_objects"]), ["other"])
        self.assertAlmostEqual(morse.robot.near.last()["near_objects"]["other"], 3, delta=0.05)
        self.assertEqual(list(morse.robot.search.get(20)["victim_dict"]), ["Victim"])
        self.assertEqual(morse.robot.search.last()["victim_dict"]["Victim"]["severity"], 10)
        # MORSE: 15 + F exp(-0.2 d).
        self.assertAlmostEqual(morse.robot.fire.get(20)["temperature"], 15 + 100 * 2.718281828**-1, delta=1.5)
        self.assertIn(morse.robot.battery.get(20)["status"], ("Charging", "Charged"))
