"""In the style of MORSE's own tests: what flies. Run by test_harness."""
import sys

from morse.testing.testing import MorseTestCase
from rows import Rows

try:
    # Only there when MORSE itself runs the file.
    from morse.builder import *  # noqa: F401,F403
except ImportError:
    pass


class FlyingTest(Rows, MorseTestCase):
    def setUpEnv(self):
        def equip(robot, motion, y):
            robot.translate(y=y, z=10.0)
            pose = Pose()
            robot.append(pose)
            robot.append(motion)
            robot.add_default_interface('socket')

        poser = Quadrotor()
        equip(poser, RotorcraftAttitude(), 0.0)
        cruiser = Quadrotor()
        equip(cruiser, RotorcraftVelocity(), 5.0)
        pilot = Quadrotor()
        equip(pilot, RotorcraftWaypoint(), -5.0)
        ideal = QUAD2012()
        equip(ideal, StabilizedQuadrotor(), 10.0)
        raw = Quadrotor()
        equip(raw, QuadrotorDynamicControl(), -10.0)

        env = Environment('empty', fastmode=True)
        env.add_service('socket')

    def row_speed(self, morse):
        before = morse.cruiser.pose.get()
        morse.cruiser.motion.publish({'vx': 1.0, 'vy': 0.0, 'vz': 0.0, 'vyaw': 0.0, 'tolerance': 0.2})
        morse.sleep(5.0)
        after = morse.cruiser.pose.get()
        self.assertGreater(after['x'] - before['x'], 1.0)
        self.assertAlmostEqual(after['y'], before['y'], delta=0.5)

    def row_waypoints(self, morse):
        self.assertIn(morse.pilot.motion.get_status().result(), ('Arrived', 'Stop', 'Transit'))
        going = morse.pilot.motion.goto(3.0, -5.0, 11.0, 0.5, 0.5)
        self.assertEqual(going.result(), 'Arrived')
        pose = morse.pilot.pose.get()
        away = (pose['x'] - 3) ** 2 + (pose['y'] + 5) ** 2 + (pose['z'] - 11) ** 2
        self.assertLess(away, 0.7 ** 2)
        morse.pilot.motion.publish({'x': 0.0, 'y': -5.0, 'z': 8.0, 'yaw': 0.0, 'tolerance': 0.2})
        morse.sleep(8.0)
        self.assertFields(morse.pilot.pose.get(), x=(0, 0.4), y=(-5, 0.4), z=(8, 0.4), yaw=(0, 0.2))

    def row_angles_and_height(self, morse):
        morse.ideal.motion.publish({'theta_c': 0.0, 'phi_c': 0.0, 'psi_c': 0.0, 'h_c': 15.0})
        morse.sleep(5.0)
        # Gravity of 10 against a thrust of 10: it hovers where it is told.
        self.assertFields(morse.ideal.pose.get(), x=(0, 0.1), y=(10, 0.1), z=(15, 0.2))
        morse.ideal.motion.set_cons(0.1, 0.0, 0.0, 15.0).result()
        morse.sleep(1.0)
        pose = morse.ideal.pose.get()
        self.assertAlmostEqual(pose['roll'], 0.1, delta=0.02)
        self.assertLess(pose['y'], 10.0)

    def row_attitude(self, morse):
        # A mass of 2 kg hangs in the air at 2 g / 40 of the full thrust.
        hover = 2 * 9.81 / 40
        before = morse.poser.pose.get()
        morse.poser.motion.publish({'roll': 0.0, 'pitch': 0.0, 'yaw': 0.2, 'thrust': hover + 0.1})
        morse.sleep(1.0)
        self.assertGreater(morse.poser.pose.get()['z'], before['z'] - 5.0)
        # In axes that point down, positive is to the right.
        self.assertLess(morse.poser.pose.get()['yaw'], before['yaw'] - 0.05)

    def row_propellers(self, morse):
        # Four times b w^2 lift 2 kg.
        hover = (2 * 9.81 / (4 * 9.169e-6)) ** 0.5
        before = morse.raw.pose.get()
        morse.raw.motion.publish({'engines': [1.2 * hover] * 4})
        morse.sleep(0.3)
        first = morse.raw.pose.get()
        morse.sleep(0.5)
        self.assertGreater(morse.raw.pose.get()['z'] - first['z'], first['z'] - before['z'] - 0.5)
        self.assertAlmostEqual(first['yaw'], before['yaw'], delta=0.05)


if __name__ == '__main__':
    from morse.core.morse_time import TimeStrategies
    from morse.testing.testing import main

    main(FlyingTest, time_modes=[TimeStrategies.FixedSimulationStep])
    sys.exit()
