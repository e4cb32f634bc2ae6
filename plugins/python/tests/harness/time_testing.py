"""In the style of MORSE's own tests: how time passes, in both of its modes. Run by test_harness."""
import sys
from time import time

from morse.testing.testing import MorseTestCase
from pymorse import Morse

try:
    # Only there when MORSE itself runs the file.
    from morse.builder import *  # noqa: F401,F403
except ImportError:
    pass


class TimeTest(MorseTestCase):
    def setUpEnv(self):
        robot = ATRV()
        pose = Pose()
        pose.frequency(100)
        pose.add_stream('socket')
        robot.append(pose)
        clock = Clock()
        clock.frequency(5)
        clock.add_stream('socket')
        robot.append(clock)
        motion = MotionVW()
        motion.add_stream('socket')
        robot.append(motion)

        env = Environment('empty', fastmode=True)
        env.add_service('socket')
        env.simulator_frequency(100)
        env.use_relative_time(True)

    def test_time(self):
        with Morse() as morse:
            self.assertIn(morse.rpc('time', 'mode'), ('Best Effort', 'Fixed Simulation Step'))
            # As time on the wall, unless somebody says otherwise.
            before, real = morse.time(), time()
            morse.sleep(1.0)
            self.assertAlmostEqual(morse.time() - before, 1.0, delta=0.1)
            self.assertGreater(time() - real, 0.9)
            # A machine with other work to do may be late, but it does come.
            self.assertLess(time() - real, 10)
            self.assertAlmostEqual(morse.robot.pose.get()['timestamp'], morse.time(), delta=0.1)
            statistics = morse.rpc('time', 'statistics')
            self.assertAlmostEqual(statistics['mean_time'], 0.01, delta=0.003)
            # A hundred readings a second, and five.
            first, many, few = morse.time(), [], []
            morse.robot.pose.subscribe(many.append)
            morse.robot.clock.subscribe(few.append)
            morse.sleep(1.0)
            morse.robot.pose.unsubscribe(many.append)
            morse.robot.clock.unsubscribe(few.append)
            self.assertAlmostEqual(len(many), 100, delta=15)
            self.assertAlmostEqual(len(few), 5, delta=1)
            # Twice as fast, and half as fast. A machine with much else to do may be late, never early.
            for scale in (2.0, 0.5):
                self.assertTrue(morse.rpc('time', 'set_time_scale', scale))
                morse.sleep(0.1)
                real = time()
                morse.sleep(0.6 * scale)
                self.assertGreater(time() - real, 0.5)
                self.assertLess(time() - real, 1.1)


if __name__ == '__main__':
    from morse.testing.testing import main

    main(TimeTest)
    sys.exit()
