"""In the style of MORSE's own tests: an arm whose gripper takes, carries and lets go. Run by test_harness."""
import sys
from math import pi, radians

from morse.testing.testing import MorseTestCase
from pymorse import Morse
from rows import Rows

try:
    # Only there when MORSE itself runs the file.
    from morse.builder import *  # noqa: F401,F403
except ImportError:
    pass


class HandTest(Rows, MorseTestCase):
    def setUpEnv(self):
        robot = ATRV()
        arm = KukaLWR()
        arm.translate(z=0.9)
        robot.append(arm)
        # From the base of the arm, which rests upright: 5 cm behind its end.
        hand = Gripper()
        hand.translate(z=1.3605)
        hand.properties(Angle=90.0, Distance=0.4)
        arm.append(hand)
        # From the base again: where the arm begins, and on the side.
        foot = Pose()
        arm.append(foot)
        side = Pose()
        side.translate(x=0.1, z=1.3105)
        arm.append(side)
        robot.add_default_interface('socket')

        high = PassiveObject('props/objects', 'BoxStand')
        high.translate(x=1.35, z=0.25)
        tape = PassiveObject('props/objects', 'BlackVideotape')
        tape.setgraspable()
        tape.translate(x=1.35, z=1.06)
        far = PassiveObject('props/objects', 'WhiteVideotape')
        far.setgraspable()
        far.translate(x=3.0, z=0.01)

        env = Environment('empty', fastmode=True)
        env.add_service('socket')

    def where(self, morse, name):
        return morse.rpc('simulation', 'get_scene_objects')[name][1]

    def pointed(self, morse, **angles):
        """Turns the arm at once, and waits until sensors have seen it."""
        morse.robot.arm.set_rotations([angles.get('kuka_%d' % joint, 0.0) for joint in range(1, 8)]).result()
        morse.sleep(0.2)

    def row_poses_count_from_the_base_and_follow_the_end(self, morse):
        self.assertFields(morse.robot.arm.foot.get(), x=(0, 0.02), y=(0, 0.02), z=(1.0, 0.02), pitch=(0, 0.02))
        self.assertFields(morse.robot.arm.side.get(), x=(0.1, 0.02), y=(0, 0.02), z=(2.3105, 0.02), pitch=(0, 0.02))
        self.pointed(morse, kuka_2=-pi / 2)
        # The end is a metre ahead of the shoulder. What was below it is behind it now, what was ahead of it below.
        self.assertFields(morse.robot.arm.foot.get(), x=(-0.3105, 0.02), z=(1.3105, 0.02), pitch=(pi / 2, 0.02))
        self.assertFields(morse.robot.arm.side.get(), x=(1.0, 0.02), z=(1.2105, 0.02), pitch=(pi / 2, 0.02))

    def row_what_is_near_is_taken_once(self, morse):
        hand = morse.robot.arm.hand
        self.pointed(morse)
        self.assertIsNone(hand.grab().result())
        self.assertIsNone(hand.release().result())
        self.pointed(morse, kuka_2=-pi / 2)
        self.assertEqual(hand.grab().result(), 'tape')
        # It has it already, and says so as often as it is asked.
        self.assertEqual(hand.grab().result(), 'tape')
        self.assertEqual(hand.grab().result(), 'tape')

    def row_what_is_held_goes_along(self, morse):
        hand = morse.robot.arm.hand
        before = self.where(morse, 'tape')
        self.pointed(morse, kuka_1=pi / 2, kuka_2=-pi / 2)
        # A quarter turn about the arm's foot, at the same height.
        self.assertVector(self.where(morse, 'tape'), [-before[1], before[0], before[2]], 0.05)
        # Another tape lies where the first one was not: a full hand does not look at it.
        morse.rpc('simulation', 'set_object_position', 'far', [0.0, 1.2, 1.6])
        self.assertEqual(hand.grab().result(), 'tape')

    def row_what_is_let_go_falls(self, morse):
        hand = morse.robot.arm.hand
        held = self.where(morse, 'tape')
        self.assertTrue(hand.release().result())
        self.assertIsNone(hand.release().result())
        morse.sleep(1.5)
        fell = self.where(morse, 'tape')
        self.assertLess(fell[2], held[2] - 0.8)
        self.pointed(morse)
        self.assertIsNone(hand.grab().result())

    def test_a_slow_arm_carries(self):
        with Morse() as morse:
            arm = morse.robot.arm
            arm.rotate('kuka_2', radians(-90), 2.0).result()
            self.assertEqual(arm.hand.grab().result(), 'tape')
            arm.rotate('kuka_2', radians(-45), 1.0).result()
            morse.sleep(0.2)
            # On a circle about the shoulder, which is 1.3105 m high.
            x, _, z = self.where(morse, 'tape')
            self.assertVector([x, z - 1.3105], [(1.35 + 0.255) * 2 ** -0.5, (1.35 - 0.255) * 2 ** -0.5], 0.06)
            self.assertEqual(arm.hand.grab().result(), 'tape')
            self.assertTrue(arm.hand.release().result())


if __name__ == '__main__':
    from morse.core.morse_time import TimeStrategies
    from morse.testing.testing import main

    main(HandTest, time_modes=[TimeStrategies.BestEffort, TimeStrategies.FixedSimulationStep])
    sys.exit()
