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

    def drives(self, morse, v, start, stop):
        """Drives for two seconds and says where it is then. It goes on until it has been told to stop, which takes
        the client and the machine some time; the simulated time is what counts."""
        x, before = morse.robot.pose.get()['x'], morse.time()
        start()
        morse.sleep(2.0)
        stop()
        morse.sleep(0.1)
        moved, most = (morse.robot.pose.get()['x'] - x) / v, morse.time() - before
        self.assertGreater(moved, 1.9)
        self.assertLess(moved, most + 0.1)
        return x + moved * v

    def test_motion_by_stream_and_service(self):
        with Morse() as morse:
            delta, motion = 0.1, morse.robot.motion
            morse.deactivate('robot.teleport')
            self.assertAlmostEqualPosition(morse, [0.0, 0.0, 0.1, 0.0, 0.0, 0.0], delta)
            x = self.drives(
                morse,
                1.0,
                lambda: motion.publish({'v': 1.0, 'w': 0.0}),
                lambda: motion.publish({'v': 0.0, 'w': 0.0}),
            )
            self.assertAlmostEqualPositionThenFix(morse, [x, 0.0, 0.1, 0.0, 0.0, 0.0], delta)
            x = self.drives(
                morse, -1.0, lambda: motion.set_speed(-1.0, 0.0).result(), lambda: motion.stop().result()
            )
            self.assertAlmostEqualPosition(morse, [x, 0.0, 0.1, 0.0, 0.0, 0.0], delta)

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
            before, real = morse.time(), time()
            morse.sleep(1.0)
            passed = morse.time() - before
            # Questions and answers take their time, too, and more of it on a busy machine.
            self.assertGreaterEqual(passed, 0.999)
            self.assertAlmostEqual(passed, time() - real, delta=0.5)
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
