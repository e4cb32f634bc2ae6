"""In the style of MORSE's own tests: the inverse kinematics of arms. Run by test_harness."""
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

TARGET = 'ik_target.robot.arm.kuka_7'


class ReachTest(Rows, MorseTestCase):
    def setUpEnv(self):
        from math import pi

        robot = FakeRobot()
        arm = KukaLWR()
        robot.append(arm)
        posture = ArmaturePose()
        arm.append(posture)
        tip = Pose()
        tip.translate(z=1.3105)
        arm.append(tip)
        robot.add_default_interface('socket')

        # On the side of a robot that faces north: its target was made before.
        other = FakeRobot()
        other.translate(x=4.0, z=1.0)
        other.rotate(z=pi / 2)
        lying = KukaLWR()
        lying.rotate(y=pi / 2)
        other.append(lying)
        end = Pose()
        end.translate(z=1.3105)
        lying.append(end)
        other.add_default_interface('socket')

        env = Environment('empty', fastmode=True)
        env.add_service('socket')

    def tip_is(self, morse, x, y, z, pitch, delta=0.02):
        tip = morse.robot.arm.tip.get()
        self.assertFields(tip, x=(x, delta), y=(y, delta), z=(z, delta), pitch=(pitch, 0.03))

    def row_out_of_reach_orientation_counts_more(self, morse):
        arm = morse.robot.arm
        self.tip_is(morse, 0, 0, 1.3105, 0)
        # An arm that lies down would reach it, but the target stands upright.
        arm.place_IK_target(TARGET, [1.0, 0, 0.3105], None, False).result()
        morse.sleep(0.3)
        self.tip_is(morse, 0.78, 0, 0.36, 0.02)
        # As upright as can be, and within reach.
        arm.place_IK_target(TARGET, [0.6, 0.2, 0.6], None, False).result()
        morse.sleep(0.3)
        self.tip_is(morse, 0.6, 0.2, 0.6, 0.0)

    def row_the_orientation_of_the_start_comes_back(self, morse):
        arm = morse.robot.arm
        # Joints are turned by themselves; the target stays where it was put.
        arm.set_rotations([0.0, -1.5, 0.0, 0.3, 0.0, 0.0, 0.0]).result()
        morse.sleep(0.2)
        self.assertGreater(morse.robot.arm.tip.get()['pitch'], 1.0)
        arm.place_IK_target(TARGET, [0.0, 0.0, 0.1]).result()
        morse.sleep(0.3)
        self.tip_is(morse, 0.6, 0.2, 0.7, 0.0)
        arm.move_IK_target(TARGET, [0, 0, 2], None, False, 5.0, 5.0).result()
        morse.sleep(0.3)
        self.tip_is(morse, 0, 0, 1.3105, 0)

    def row_an_orientation_that_was_given_stays(self, morse):
        arm = morse.robot.arm
        ahead = [pi / 2, -pi / 2, -pi]
        arm.place_IK_target(TARGET, [0.9, 0, 0.3105], ahead, False).result()
        morse.sleep(0.3)
        self.tip_is(morse, 0.9, 0, 0.3105, pi / 2)
        arm.move_IK_target(TARGET, [-0.2, 0.0, 0.1], None, True, 1.0).result()
        morse.sleep(0.2)
        self.tip_is(morse, 0.7, 0, 0.4105, pi / 2)
        joints = morse.robot.arm.posture.get()
        self.assertEqual([name for name in joints if name != 'timestamp'], ['kuka_%d' % n for n in range(1, 8)])

    def row_a_lying_arm_has_an_upright_target(self, morse):
        lying = morse.other.lying
        self.assertFields(lying.end.get(), x=(4, 0.02), y=(1.3105, 0.02), z=(1.0, 0.02))
        lying.place_IK_target('ik_target.other.lying.kuka_7', [4.0, 0.8, 1.3], None, False).result()
        morse.sleep(0.3)
        end = lying.end.get()
        self.assertFields(end, x=(4, 0.03), y=(0.8, 0.03), z=(1.3, 0.03), pitch=(0, 0.03), roll=(0, 0.03))

    def test_a_target_that_moves_is_followed(self):
        with Morse() as morse:
            arm = morse.robot.arm
            arm.place_IK_target(TARGET, [0.5, 0, 0.8], None, False).result()
            morse.sleep(0.2)
            begin = morse.time()
            going = arm.move_IK_target(TARGET, [0.0, 0.4, 0.0], None, True, 0.4)
            morse.sleep(0.5)
            self.assertAlmostEqual(arm.tip.get()['y'], 0.2, delta=0.12)
            going.result()
            self.assertGreater(morse.time() - begin, 0.9)
            self.tip_is(morse, 0.5, 0.4, 0.8, 0.0)


if __name__ == '__main__':
    from morse.core.morse_time import TimeStrategies
    from morse.testing.testing import main

    main(ReachTest, time_modes=[TimeStrategies.BestEffort, TimeStrategies.FixedSimulationStep])
    sys.exit()
