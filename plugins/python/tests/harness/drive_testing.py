"""In the style of MORSE's own tests: a robot that is driven, put somewhere, and asked. Run by test_harness."""
import sys
from time import time

from morse.testing.testing import MorseMoveTestCase
from pymorse import Morse, MorseServiceFailed

try:
    # Only there when MORSE itself runs the file.
    from morse.builder import *  # noqa: F401,F403
except ImportError:
    pass


class DriveTest(MorseMoveTestCase):
    def setUpEnv(self):
        robot = ATRV()

        pose = Pose()
        pose.add_stream('socket')
        robot.append(pose)

        motion = MotionVW()
        robot.append(motion)
        motion.add_stream('socket')
        motion.add_service('socket')

        teleport = Teleport()
        teleport.add_stream('socket')
        robot.append(teleport)

        env = Environment('empty', fastmode=True)
        env.add_service('socket')

    def test_motion_by_stream_and_service(self):
        with Morse() as morse:
            delta = 0.1
            morse.deactivate('robot.teleport')
            self.assertAlmostEqualPosition(morse, [0.0, 0.0, 0.1, 0.0, 0.0, 0.0], delta)
            morse.robot.motion.publish({'v': 1.0, 'w': 0.0})
            morse.sleep(2.0)
            morse.robot.motion.publish({'v': 0.0, 'w': 0.0})
            morse.sleep(0.1)
            self.assertAlmostEqualPositionThenFix(morse, [2.0, 0.0, 0.1, 0.0, 0.0, 0.0], delta)
            morse.robot.motion.set_speed(-1.0, 0.0).result()
            morse.sleep(2.0)
            morse.robot.motion.stop().result()
            morse.sleep(0.1)
            self.assertAlmostEqualPosition(morse, [0.0, 0.0, 0.1, 0.0, 0.0, 0.0], delta)

    def test_what_cannot_be_asked(self):
        with Morse() as morse:
            with self.assertRaises(TypeError):
                morse.robot.motion.set_speed(1.0).result()
            with self.assertRaises(MorseServiceFailed):
                morse.activate('robot.wings')
            self.assertEqual(sorted(morse.streams()), ['robot.motion', 'robot.pose', 'robot.teleport'])
            self.assertIsNone(morse.robot.motion.stop().result())

    def test_time_and_reset(self):
        with Morse() as morse:
            morse.deactivate('robot.teleport')
            before, real = morse.time() or 0.0, time()
            morse.sleep(1.0)
            passed = (morse.time() or 0.0) - before
            self.assertAlmostEqual(passed, 1.0, delta=0.2)
            self.assertAlmostEqual(time() - real, 1.0, delta=0.5)
            morse.robot.motion.publish({'v': 2.0, 'w': 0.0})
            morse.sleep(1.0)
            morse.robot.motion.publish({'v': 0.0, 'w': 0.0})
            morse.sleep(0.1)
            self.assertGreater(morse.robot.pose.get()['x'], 1.5)
            morse.reset()
            morse.sleep(0.1)
            self.assertAlmostEqualPosition(morse, [0.0, 0.0, 0.1, 0.0, 0.0, 0.0], 0.1)


if __name__ == '__main__':
    from morse.testing.testing import main

    main(DriveTest)
    sys.exit()
