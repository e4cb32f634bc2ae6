"""In the style of MORSE's own tests: goals, futures, and parts of parts. Run by test_harness."""
import sys

from morse.testing.testing import MorseTestCase
from pymorse import Morse, MorseServicePreempted

try:
    # Only there when MORSE itself runs the file.
    from morse.builder import *  # noqa: F401,F403
except ImportError:
    pass


class WaypointTest(MorseTestCase):
    def setUpEnv(self):
        from math import pi

        mana = ATRV('mana')
        mana.translate(x=1.0)

        motion = Waypoint()
        motion.properties(ObstacleAvoidance=False)
        mana.append(motion)

        pose = Pose()
        mana.append(pose)

        head = PTU()
        head.translate(z=1.0)
        mana.append(head)
        angles = PTUPosture()
        head.append(angles)

        scan = Sick()
        scan.rotate(z=pi)
        scan.frequency(5)
        mana.append(scan)

        mana.add_default_interface('socket')

        env = Environment('indoors-1/boxes', fastmode=True)
        env.add_service('socket')

    def test_goals(self):
        with Morse() as morse:
            going = morse.mana.motion.goto(3.0, 1.0, 0.0, 0.3, 2.0)
            self.assertEqual(going.result(), 'Arrived')
            self.assertEqual(morse.mana.motion.get_status(), 'Arrived')
            pose = morse.mana.pose.get()
            self.assertLess((pose['x'] - 3.0) ** 2 + (pose['y'] - 1.0) ** 2, 0.4 ** 2)
            going = morse.mana.motion.goto(30.0, 0.0, 0.0)
            morse.sleep(0.2)
            self.assertTrue(going.running())
            self.assertEqual(morse.mana.motion.get_status(), 'Transit')
            going.cancel()
            with self.assertRaises(MorseServicePreempted):
                going.result()

    def test_a_head_turns(self):
        with Morse() as morse:
            morse.mana.head.set_pan_tilt(0.5, -0.3).result()
            morse.sleep(0.1)
            angles = morse.mana.head.angles.get()
            self.assertAlmostEqual(angles['pan'], 0.5, delta=0.02)
            self.assertAlmostEqual(angles['tilt'], -0.3, delta=0.02)

    def test_a_scan_sees_the_wall(self):
        with Morse() as morse:
            scan = morse.mana.scan.get()
            self.assertEqual(len(scan['range_list']), 181)
            # It looks back, west: the wall is 18.7 m off, the red box is in front of it, 8.0 m off.
            self.assertAlmostEqual(scan['range_list'][90], 8.0, delta=0.1)


if __name__ == '__main__':
    from morse.testing.testing import main

    main(WaypointTest)
    sys.exit()
