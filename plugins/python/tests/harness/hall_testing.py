"""In the style of MORSE's own tests: the hall with its boxes and its floor. Run by test_harness."""
import sys
from math import pi

from morse.testing.testing import MorseTestCase
from pymorse import Morse
from rows import Rows

try:
    # Only there when MORSE itself runs the file.
    from morse.builder import *  # noqa: F401,F403
except ImportError:
    pass


class HallTest(Rows, MorseTestCase):
    def setUpEnv(self):
        from math import pi

        from morse.builder import bpymorse

        robot = FakeRobot()
        robot.translate(x=-5.0, z=1.83)
        robot.rotate(z=pi)
        low = Sick()
        robot.append(low)
        high = Sick()
        high.translate(z=0.06)
        robot.append(high)
        near = Proximity()
        near.properties(Track='Object', Range=40.0)
        robot.append(near)
        robot.add_default_interface('socket')

        rover = ATRV()
        rover.translate(x=5.0)
        feel = Collision()
        rover.append(feel)
        rover.add_default_interface('socket')
        tall = PassiveObject('environments/indoors-1/boxes', 'BlueBox')
        tall.translate(x=5.0, y=5.0, z=1.5)
        kept = PassiveObject('environments/indoors-1/indoor-1', 'YellowBox', keep_pose=True)

        env = Environment('indoors-1/boxes', fastmode=True)
        env.add_service('socket')
        bpymorse.get_object('Ground').game.use_actor = True

    def where(self, morse, name):
        return morse.rpc('simulation', 'get_scene_objects')[name][1]

    def row_boxes_rest_above_the_floor(self, morse):
        morse.sleep(1.0)
        for name, x, y in (('RedBox', -7.5, 0), ('BlueBox', -3.5, -3), ('GreenBox', -6.5, 6), ('tall', 5, 5)):
            self.assertVector(self.where(morse, name), [x, y, 0.96], 0.01)
        self.assertVector(self.where(morse, 'kept')[:2], [-5, -4], 0.01)
        # Their tops are at 1.86 m: the upper laser sees the wall behind.
        self.assertAlmostEqual(morse.robot.low.get()['range_list'][90], 2.0, delta=0.02)
        self.assertAlmostEqual(morse.robot.high.get()['range_list'][90], 12.7, delta=0.1)

    def row_a_floor_that_is_an_actor_is_felt(self, morse):
        self.assertTrue(morse.rover.feel.get(5.0)['collision'])

    def row_boxes_are_objects_and_can_be_moved(self, morse):
        near = morse.robot.near.get()['near_objects']
        self.assertEqual({name for name in near if name.endswith('Box')}, {'RedBox', 'BlueBox', 'GreenBox'})
        self.assertIsNone(morse.rpc('simulation', 'set_object_position', 'RedBox', [-8.5, 0.0, 0.97], [0.0, 0.0, pi / 2]))
        morse.sleep(1.0)
        self.assertVector(self.where(morse, 'RedBox'), [-8.5, 0, 0.96], 0.01)
        self.assertAlmostEqual(morse.robot.low.get()['range_list'][90], 3.0, delta=0.02)


class QuietTest(MorseTestCase):
    """A floor that is no actor, as all are unless a script says otherwise, is not felt."""

    def setUpEnv(self):
        rover = ATRV()
        feel = Collision()
        rover.append(feel)
        motion = MotionVW()
        rover.append(motion)
        rover.add_default_interface('socket')
        block = PassiveObject('environments/indoors-1/indoor-1', 'RedBox')
        block.translate(x=1.6, z=0.5)

        env = Environment('indoors-1/boxes', fastmode=True)
        env.add_service('socket')

    def test_boxes_are_felt_and_the_floor_is_not(self):
        with Morse() as morse:
            self.assertIsNone(morse.rover.feel.get(1.0))
            morse.rover.motion.publish({'v': 1.0, 'w': 0.0})
            felt = morse.rover.feel.get(5.0)
            self.assertEqual((felt['collision'], felt['objects']), (True, 'block'))


if __name__ == '__main__':
    from morse.core.morse_time import TimeStrategies
    from morse.testing.testing import main

    main(HallTest, QuietTest, time_modes=[TimeStrategies.FixedSimulationStep])
    sys.exit()
