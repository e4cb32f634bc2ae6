"""What builder scripts become: simulation files, held against golden ones and against rules."""
from __future__ import annotations

import math
import os
import re


from .support import GOLDEN, Room, execute, listed, program

FULL = """
    robot = ATRV()
    robot.translate(1.0, 2.0)
    robot.translate(0.5)
    robot.rotate(z=0.5)
    robot.rotate(z=0.25)
    robot.set_mass(12)
    robot.set_friction(0.7)
    robot.properties(Marked=True, Number=3)
    robot.add_service('socket')

    pose = Pose()
    pose.translate(z=0.75)
    pose.add_interface('socket', port=60010)
    pose.add_stream('text')
    robot.append(pose)

    gps = GPS()
    gps.frequency(5)
    gps.alter('Noise', pos_std=0.2)
    gps.alter('NED')
    robot.append(gps)

    waypoint = Waypoint()
    waypoint.properties(FreeZ=True, ControlType='Position', Ignore='Marked', Target='')
    waypoint.add_service('socket')
    robot.append(waypoint)

    head = PTU()
    head.translate(0.2, 0, 0.9)
    robot.append(head)
    angles = PTUPosture()
    angles.add_stream('socket')
    head.append(angles)

    scan = Sick()
    scan.properties(Visible_arc=True, resolution=0.5, laser_range=20)
    scan.create_laser_arc()
    robot.append(scan)

    tape = PassiveObject('props/objects', 'WhiteVideotape')
    tape.setgraspable()
    tape.properties(Description='a tape', Fire=200)
    tape.translate(2, 0, 0.5)
    table = PassiveObject('props/objects', 'SmallTable')
    table.rotate(z=1.5)
    block = Cube('block')
    block.scale = (0.5, 0.25, 0.1)
    block._bpy_object.game.physics_type = 'STATIC'

    zone = Zone(type='Charging')
    zone.size = [1, 2, 3]
    zone.translate(x=4)

    env = Environment('indoors-1/boxes', fastmode=True)
    env.set_gravity(1.62)
    env.properties(longitude=1.43, latitude=43.5, altitude=135.0, angle_against_north=45.0)
    env.configure_stream_manager('socket', time_sync=True, sync_port=6001)
    env.set_time_strategy(TimeStrategies.FixedSimulationStep)
"""

ARM = """
    robot = Jido()
    arm = KukaLWR()
    arm.translate(0.1, 0, 0.8)
    arm.rotate(z=0.5)
    arm.properties(RotationSpeed=1.5)
    arm.add_interface('socket')
    robot.append(arm)
    joints = ArmaturePose()
    joints.add_stream('socket')
    arm.append(joints)
    tip = Pose()
    tip.translate(x=0.05)
    arm.append(tip)
    env = Environment('empty')
"""

HUMAN = """
    human = Human()
    human.translate(1, 2)
    human.add_interface('socket')
    pr2 = LocalizedPR2()
    pr2.add_interface('socket')
    env = Environment('sandbox')
"""


class Recordings(Room):
    """Golden files; `UPDATE_GOLDEN=1` writes them anew."""

    def held(self, name: str, script: str, *files: str) -> None:
        self.recorded(script)
        for file in ("script.ron", *files):
            text = self.read(file)
            path = os.path.join(GOLDEN, name + "_" + file)
            if os.environ.get("UPDATE_GOLDEN"):
                with open(path, "w", encoding="utf-8") as golden:
                    golden.write(text)
            with open(path, encoding="utf-8") as golden:
                self.assertEqual(text, golden.read(), path)
        if program() and self.is_known(self.read("script.ron")):
            checked = execute(
                [str(program()), "check", self.path("script.ron")]
            )
            self.assertEqual(checked.returncode, 0, checked.stderr)

    @staticmethod
    def is_known(text: str) -> bool:
        """Whether the program has all kinds."""
        known = {kind for family in ("sensors", "actuators", "modifiers", "middlewares") for kind in listed(family)}
        return not set(re.findall(r'kind: "(\w+)"', text)) - known

    def test_a_robot_with_much_on_it(self) -> None:
        self.held("full", FULL, "script.robray")

    def test_an_arm_on_a_robot(self) -> None:
        self.held("arm", ARM)

    def test_people(self) -> None:
        self.held("people", HUMAN)


class Rules(Room):
    """Single rules of the builder."""

    def test_translations_and_rotations_add_up(self) -> None:
        text = self.recorded(
            """
            robot = B21()
            robot.translate(1, 2, 3); robot.translate(z=1)
            robot.rotate(0.1, 0.2, 0.3); robot.rotate(0.1)
            env = Environment('ground.robray')
            """
        )
        self.assertIn("at: (translation: (1, 2, 4), rpy: (0.2, 0.2, 0.3))", text)

    def test_names_are_those_of_variables(self) -> None:
        text = self.recorded(
            """
            for number in range(3):
                rover = ATRV()
                eye = Pose(); rover.append(eye)
                second = Pose('given'); rover.append(second)
                rover.append(Pose())
                AbstractComponent.close_context()
            other = ATRV('mine')
            env = Environment('ground.robray')
            Late = None
            victim = Victim()
            """
        )
        for name in ('"rover": (', '"rover_001": (', '"rover_002": (', '"mine": (', '"Victim": ('):
            self.assertIn(name, text)
        for name in ('"eye": (', '"given": (', '"Pose": ('):
            self.assertEqual(text.count(name), 3, name)

    def test_names_are_those_of_attributes(self) -> None:
        text = self.recorded(
            """
            class Rover(ATRV):
                def __init__(self):
                    ATRV.__init__(self)
                    self.nose = Pose()
                    self.append(self.nose)
            class Script:
                def setUpEnv(self):
                    spirit = Rover()
                    env = Environment('ground.robray')
            Script().setUpEnv()
            """
        )
        self.assertIn('"spirit": (', text)
        self.assertIn('"nose": (', text)

    def test_a_default_interface_leaves_what_has_one(self) -> None:
        text = self.recorded(
            """
            robot = ATRV()
            a = Pose(); a.add_stream('socket', port=1234); robot.append(a)
            robot.add_default_interface('socket')
            b = MotionVW(); robot.append(b)
            k = Keyboard(); robot.append(k)
            env = Environment('ground.robray')
            """
        )
        self.assertEqual(text.count('services: ["socket"]'), 3)
        self.assertEqual(text.count('"socket": (port: 1234)'), 1)
        self.assertEqual(text.count('inputs: { "socket": () }'), 1)

    def test_what_stays_put_on_another_is_posed_on_the_robot(self) -> None:
        text = self.recorded(
            """
            import math
            robot = ATRV()
            mast = Pose(); mast.translate(1, 0, 2); mast.rotate(z=math.pi / 2); robot.append(mast)
            eye = Pose(); eye.translate(0.5, 0, 0); mast.append(eye)
            env = Environment('ground.robray')
            """
        )
        # The mast's x axis is the robot's y axis.
        self.assertIn('"mast.eye": (', text)
        self.assertIn("mount: (translation: (1, 0.5, 2), rpy: (0, 0, 1.57079632679))", text)

    def test_a_hummer_faces_its_own_y_axis(self) -> None:
        text = self.recorded(
            """
            import math
            car = Hummer()
            car.rotate(z=math.pi / 2)
            front = Pose(); front.translate(0, 2, 1); car.append(front)
            env = Environment('ground.robray')
            """
        )
        # Turned by a quarter it heads north; what is ahead of it is on the model's x axis.
        self.assertIn("rpy: (0, 0, 1.57079632679)", text)
        self.assertIn("mount: (translation: (2, 0, 1), rpy: (0, 0, -1.57079632679))", text)

    def test_the_rate_follows_the_fastest(self) -> None:
        fast = """
            robot = ATRV()
            imu = IMU(); imu.frequency(200); robot.append(imu)
            env = Environment('ground.robray'{})
            {}
            """
        self.assertIn("environment: (rate: 200,", self.recorded(fast.format("", "")))
        self.assertIn("environment: (rate: 60,", self.recorded(fast.format(", auto_tune_time=False", "")))
        self.assertIn("frequency: 60", self.recorded(fast.format(", auto_tune_time=False", "")))
        self.assertIn("200 times a second", self.said)
        self.assertIn("rate: 500,", self.recorded(fast.format("", "env.simulator_frequency(500)")))

    def test_modifiers_that_find_nothing_to_change_are_left_out(self) -> None:
        text = self.recorded(
            """
            robot = ATRV()
            gps = GPS(); gps.level('raw'); gps.alter('NED'); robot.append(gps)
            env = Environment('ground.robray')
            """
        )
        self.assertIn("level: raw", text)
        self.assertNotIn("modifiers", text)
        self.assertIn("robot.gps: the level `raw` has no `x`", self.said)

    def test_shapes_that_nothing_touches_are_still_known(self) -> None:
        text = self.recorded(
            """
            robot = Robot('atrv')
            fire = Sphere('flame')
            fire.scale = (0.5, 0.5, 0.5)
            fire.translate(3, 4)
            fire.properties(Fire=True)
            place = Empty('here'); place.properties(Note='x')
            nothing = Empty('nowhere')
            eye = Pose(); robot.append(eye)
            mesh = Cube('look'); eye.append(mesh)
            env = Environment('ground.robray')
            """
        )
        self.assertIn('"fire": (', text)
        self.assertIn('model: "robots/atrv.robray"', text)
        self.assertIn('properties: { "Fire": true }', text)
        self.assertNotIn("nowhere", text)
        scene = self.read("script.robray")
        self.assertIn("geometry { shape sphere; radius 0.5; color [0.8, 0.8, 0.8]; friction 0.5; collision 0; }", scene)
        self.assertNotIn("look", scene)

    def test_odometry_without_a_stream_is_differential(self) -> None:
        text = self.recorded(
            """
            robot = ATRV()
            a = Odometry(); robot.append(a)
            b = Odometry(); b.add_stream('socket'); robot.append(b)
            env = Environment('ground.robray')
            """
        )
        self.assertEqual(text.count("level: differential"), 1)

    def test_the_pace_follows_the_time_strategy(self) -> None:
        script = "robot = ATRV()\nenv = Environment('ground.robray')\n"
        sync = "env.configure_stream_manager('socket', time_sync=True)\n"
        fixed = "env.set_time_strategy(TimeStrategies.FixedSimulationStep)\n"
        for more, pace in (
            ("", "1"),
            (fixed, "1"),
            ("env.set_time_scale(slowdown_by=4)", "0.25"),
            ("env.set_time_scale(accelerate_by=3)", "3"),
            (sync, "1"),
            (sync + fixed, "max"),
            (fixed + "env.use_internal_syncer()", "1"),
        ):
            self.assertIn(f"Pace: --rtf {pace}\n", self.recorded(script + more), more)

    def test_looks_are_accepted_with_one_warning(self) -> None:
        self.recorded(
            """
            robot = Morsy()
            robot.set_color((1, 0, 0))
            env = Environment('ground.robray')
            env.fullscreen()
            env.fullscreen()
            env.set_camera_speed(3.0)
            env.configure_multinode(protocol='socket')
            """
        )
        for text in ("set_color has", "fullscreen has", "set_camera_speed has", "one node"):
            self.assertEqual(self.said.count(text), 1, self.said)

    def test_the_camera_is_the_view(self) -> None:
        ron = self.recorded(
            """
            robot = ATRV()
            eye = VideoCamera()
            robot.append(eye)
            env = Environment('ground.robray')
            env.set_camera_location([4.0, 0.0, 3.0])
            env.set_camera_rotation([0.7853981633974483, 0.0, 1.5707963267948966])
            env.set_camera_clip(0.5, 80)
            env.set_camera_focal_length(12)
            env.select_display_camera(eye)
            """
        )
        # Half a right angle down, towards -x: the ground is met 3 m ahead. A lens of 12 mm sees 2 atan(12 / 12).
        view = re.search(r"view: \(.*?\n {8}\),\n", ron, re.DOTALL).group(0)
        numbers = [float(each) for each in re.findall(r"-?\d+\.?\d*(?:e-?\d+)?", view)]
        expected = [4, 0, 3, 1, 0, 0, 1.5708, 0.5, 80]
        for number, wanted in zip(numbers, expected):
            self.assertAlmostEqual(number, wanted, delta=1e-5, msg=view)
        self.assertEqual(len(numbers), len(expected), view)
        self.assertIn('selected: "robot.eye"', view)
        self.assertEqual(self.said, "")

    def test_a_camera_that_leans_is_said(self) -> None:
        self.recorded("r = ATRV()\nenv = Environment('ground.robray')\nenv.set_camera_rotation([1.0, 0.5, 0.0])\n")
        self.assertEqual(self.said.count("the camera's roll is left out"), 1, self.said)


class Mistakes(Room):
    """What nobody knows is an error that says what was meant."""

    def refused(self, script: str) -> str:
        self.write("script.py", "from morse.builder import *\n" + script)
        ran = self.morse("run", "script.py")
        self.assertEqual(ran.returncode, 1, ran.stdout + ran.stderr)
        self.assertIn("[ERROR][MORSE] INITIALIZATION ERROR: script.py:", ran.stdout)
        self.assertNotIn("SCENE INITIALIZED", ran.stdout)
        return ran.stdout

    def test_suggestions(self) -> None:
        for script, expected in (
            ("robot = ATRW()", "did you mean `ATRV`?"),
            ("robot = ATRV()\nrobot.tranlate(1)", "script.py:3: MorseBuilderAttributeError: ATRV has no `tranlate`; did you mean `translate`?"),
            ("p = Pose()\np.add_stream('sokcet')", "did you mean `socket`?"),
            ("p = Pose()\nr = ATRV()\nr.append(p)\np.alter('NET')\nenv = Environment('empty')", "did you mean `NED`?"),
            ("e = Environment('emty')", "did you mean `empty`?"),
            ("o = PassiveObject('props/objects', 'Tabel')", "there is no object `Tabel`"),
            ("e = Environment('empty')\ne.configure_stream_manager('socket', tiem_sync=True)", "did you mean `time_sync`?"),
            ("e = Environment('my.blend')", "is a Blender file"),
            ("k = Keyboard()\nk.add_stream('socket')", "neither streams nor commands"),
            ("a = Armature(model_name='kuka')", "there is no arm `kuka`"),
            ("m = MocapControl()", "no implementation"),
            ("r = ATRV()", "creates no Environment"),
            ("r = ATRV()\ne = Environment('empty')\ne.set_camera_clip(5, 1)", "two growing distances"),
            ("r = ATRV()\ne = Environment('empty')\ne.select_display_camera(Pose())", "is on no robot"),
            ("r = ATRV()\nr.translate('far')", "translate takes three numbers"),
            ("r = ATRV()\nr.name = 'a.b'", "has a dot"),
        ):
            said = self.refused(script)
            self.assertIn(expected, said)

    def test_a_property_that_is_none_is_told(self) -> None:
        self.recorded(
            "robot = ATRV()\np = Proximity()\np.properties(Rnage=3)\nrobot.append(p)\nenv = Environment('ground.robray')\n"
        )
        self.assertIn("robot.p: `proximity` has no property `Rnage`, which changes nothing; did you mean `Range`?", self.said)

    def test_components_are_found_by_their_tags(self) -> None:
        text = self.recorded(
            """
            robot = ATRV()
            eye = Pose(); eye.translate(0.5, 0, 1); eye.properties(Catch_me=True, Type='Trophy'); robot.append(eye)
            near = Proximity(); near.properties(Track='Catch_me'); near.add_stream('socket')
            other = ATRV(); other.translate(5); other.append(near)
            env = Environment('ground.robray')
            """
        )
        self.assertIn('"robot.eye_itself": (label: "robot.eye", type: "Trophy", properties: { "Catch_me": true })', text)
        self.assertIn('model: "script_robot.robray"', text)
        self.assertIn("frame eye_itself {\n  parent base;\n  translation [0.5, 0, 1];\n}", self.read("script_robot.robray"))
        self.assertNotIn("Catch_me", self.said)
        if program():
            checked = execute(
                [str(program()), "check", self.path("script.ron")]
            )
            self.assertEqual(checked.returncode, 0, checked.stderr)

    def test_angles_become_radians(self) -> None:
        text = self.recorded(
            "robot = ATRV()\np = Gripper()\np.properties(Angle=90)\nrobot.append(p)\nenv = Environment('ground.robray')\n"
        )
        angle = text[text.index("angle: ") + 7 :].split(",")[0]
        self.assertAlmostEqual(float(angle), math.pi / 2, delta=1e-11)
