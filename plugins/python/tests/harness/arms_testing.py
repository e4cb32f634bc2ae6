"""In the style of MORSE's own tests: arms, heads, hands and people. Run by test_harness."""
import sys
from math import pi, radians

from morse.testing.testing import MorseTestCase
from pymorse import MorseServiceFailed, MorseServicePreempted
from rows import Rows

try:
    # Only there when MORSE itself runs the file.
    from morse.builder import *  # noqa: F401,F403
except ImportError:
    pass

TARGET = 'ik_target.robot.arm.kuka_7'
UP = [pi / 2, 0.0, -pi]
AHEAD = [pi / 2, -pi / 2, -pi]


class ArmsTest(Rows, MorseTestCase):
    def setUpEnv(self):
        from math import pi

        robot = FakeRobot()
        arm = KukaLWR()
        robot.append(arm)
        arm.add_stream('socket')
        arm.add_service('socket')
        arm_pose = ArmaturePose()
        arm_pose.add_stream('socket')
        arm_pose.add_service('socket')
        arm.append(arm_pose)
        tip = Pose()
        tip.translate(z=1.3105)
        tip.add_stream('socket')
        arm.append(tip)

        jido = Jido('JIDO')
        jido.translate(x=5.0)
        ptu = PTU()
        ptu.translate(x=0.2, z=0.9)
        jido.append(ptu)
        ptu_pose = PTUPosture('posture')
        ptu.append(ptu_pose)
        gaze = Pose()
        gaze.translate(x=0.1)
        ptu.append(gaze)
        kuka = KukaLWR('KUKA')
        kuka.translate(x=0.185, y=0.2, z=0.907)
        kuka.rotate(x=pi / 2, y=pi / 2)
        jido.append(kuka)
        kuka_posture = ArmaturePose('posture')
        kuka.append(kuka_posture)
        jido.add_default_interface('socket')

        old = ATRV()
        old.translate(y=5.0)
        pa = PA10()
        pa.translate(z=0.8)
        old.append(pa)
        hand = Gripper()
        hand.translate(x=0.6, z=0.2)
        hand.rotate(y=pi / 2)
        old.append(hand)
        eye = SemanticCamera()
        eye.translate(x=0.3, z=0.6)
        old.append(eye)
        old.add_default_interface('socket')

        tape = PassiveObject('props/objects', 'BlackVideotape')
        tape.setgraspable()
        tape.translate(x=0.85, y=5.0, z=0.01)

        pr2 = BasePR2()
        pr2.add_interface('socket')
        pr2.add_service('socket')
        pr2.translate(x=-5.0)
        human = Human()
        human.add_interface('socket')
        human.translate(x=-5.0, y=5.0)
        human_pose = Pose()
        human_pose.add_stream('socket')
        human.append(human_pose)
        stroll = MotionVW()
        stroll.properties(ControlType='Position')
        stroll.add_stream('socket')
        human.append(stroll)

        env = Environment('empty', fastmode=True)
        env.add_service('socket')

    def tip_is(self, morse, x, y, z, pitch=None):
        pose = morse.robot.arm.tip.get()
        self.assertFields(pose, x=(x, 0.02), y=(y, 0.02), z=(z, 0.02))
        if pitch is not None:
            self.assertAlmostEqual(pose['pitch'], pitch, delta=0.02)

    def row_joints(self, morse):
        arm = morse.robot.arm
        names = ['kuka_%d' % number for number in range(1, 8)]
        self.assertEqual(arm.get_joints().result(), names)
        self.assertEqual(arm.arm_pose.get_joints().result(), names)
        self.assertAlmostEqual(arm.arm_pose.get_joints_length().result()['kuka_1'], 0.3105, delta=0.001)
        self.assertEqual(set(arm.get_dofs().result()), set(names))
        low, high = arm.get_IK_limits('kuka_2').result()
        self.assertAlmostEqual(low, -2.094, delta=0.01)
        self.assertAlmostEqual(high, 2.094, delta=0.01)
        self.assertEqual(list(arm.arm_pose.get()), ['timestamp'] + names)
        self.tip_is(morse, 0.0, 0.0, 1.3105, 0.0)

    def row_setting_joints(self, morse):
        arm = morse.robot.arm
        arm.set_rotation('kuka_2', radians(-90)).result()
        morse.sleep(0.1)
        self.tip_is(morse, 1.0, 0.0, 0.3105, radians(90))
        self.assertAlmostEqual(arm.arm_pose.get_joint('kuka_2').result(), radians(-90), delta=0.02)
        with self.assertRaises(MorseServiceFailed):
            arm.set_rotation('shoulder', 0.0).result()
        with self.assertRaises(MorseServiceFailed):
            arm.set_translation('kuka_2', 0.1).result()
        # Past its limit.
        arm.set_rotation('kuka_2', -3.0).result()
        morse.sleep(0.1)
        self.assertAlmostEqual(arm.arm_pose.get()['kuka_2'], -2.094, delta=0.02)
        arm.set_rotations([0.1, 0.2, 0.3]).result()
        morse.sleep(0.1)
        state = arm.arm_pose.get()
        self.assertFields(state, kuka_1=(0.1, 0.02), kuka_2=(0.2, 0.02), kuka_3=(0.3, 0.02), kuka_4=(0, 0.02))
        arm.set_rotations([0.0] * 7).result()
        morse.sleep(0.1)
        self.tip_is(morse, 0.0, 0.0, 1.3105)

    def took(self, passed, least):
        """The client hears of the end a little later, on a busy machine more than a little."""
        self.assertGreater(passed, least - 0.05)
        self.assertLess(passed, least + 1.0)

    def row_turning_joints(self, morse):
        arm = morse.robot.arm
        before = morse.time()
        arm.rotate('kuka_2', -0.8).result()
        # At 0.8 rad/s.
        self.took(morse.time() - before, 1.0)
        self.assertAlmostEqual(arm.arm_pose.get()['kuka_2'], -0.8, delta=0.03)
        before = morse.time()
        arm.rotate_joints({'kuka_2': 0.0, 'kuka_1': 1.0}, 2.0).result()
        self.took(morse.time() - before, 0.5)
        first = arm.rotate('kuka_1', -2.0)
        morse.sleep(0.1)
        second = arm.rotate('kuka_1', 0.5)
        with self.assertRaises(MorseServicePreempted):
            first.result()
        second.cancel()
        with self.assertRaises(MorseServicePreempted):
            second.result()
        arm.publish({'kuka_%d' % number: 0.0 for number in range(1, 8)})
        morse.sleep(2.0)
        self.assertAlmostEqual(arm.arm_pose.get()['kuka_1'], 0.0, delta=0.03)

    def row_trajectories(self, morse):
        arm = morse.robot.arm
        points = [
            {'positions': [0.5] + [0.0] * 6, 'velocities': [0.0] * 7, 'time_from_start': 0.5},
            {'positions': [-0.5] + [0.0] * 6, 'velocities': [0.0] * 7, 'time_from_start': 3.5},
        ]
        going = arm.trajectory({'points': points})
        morse.sleep(0.55)
        # It leaves this point slowly, so that a busy machine sees it there.
        self.assertAlmostEqual(arm.arm_pose.get()['kuka_1'], 0.5, delta=0.1)
        going.result()
        self.assertAlmostEqual(arm.arm_pose.get()['kuka_1'], -0.5, delta=0.05)
        with self.assertRaises(MorseServiceFailed):
            arm.trajectory({'points': [{'time_from_start': 1.0}]}).result()
        arm.set_rotations([0.0] * 7).result()

    def row_placing_targets(self, morse):
        arm = morse.robot.arm
        self.assertEqual(arm.list_IK_targets().result(), [TARGET])
        # Too high: the arm stretches.
        arm.place_IK_target(TARGET, [0, 0, 2], None, False).result()
        morse.sleep(0.2)
        self.tip_is(morse, 0.0, 0.0, 1.3105, 0.0)
        arm.place_IK_target(TARGET, [0.9, 0, 0.3105], AHEAD, False).result()
        morse.sleep(0.3)
        self.tip_is(morse, 0.9, 0.0, 0.3105, radians(90))
        arm.place_IK_target(TARGET, [1.0, 0, 0.3105], AHEAD, False).result()
        morse.sleep(0.3)
        self.tip_is(morse, 1.0, 0.0, 0.3105, radians(90))
        arm.place_IK_target(TARGET, [0, 0, 2], UP, False).result()
        morse.sleep(0.3)
        self.tip_is(morse, 0.0, 0.0, 1.3105, 0.0)
        with self.assertRaises(MorseServiceFailed):
            arm.place_IK_target('ik_target.robot.arm.kuka_9', [0, 0, 2]).result()

    def row_moving_targets(self, morse):
        arm = morse.robot.arm
        arm.set_rotations([0.0] * 7).result()
        morse.sleep(0.1)
        arm.move_IK_target(TARGET, [0, 0, 2], None, False).result()
        self.tip_is(morse, 0.0, 0.0, 1.3105, 0.0)
        arm.move_IK_target(TARGET, [1, 0, 0.3105], AHEAD, False).result()
        self.tip_is(morse, 1.0, 0.0, 0.3105, radians(90))
        arm.move_IK_target(TARGET, [-0.2, 0.1, 0.1], None, True, 0.5, 1.0).result()
        self.tip_is(morse, 0.8, 0.1, 0.4105, radians(90))
        arm.move_IK_target(TARGET, [0, 0, 2], UP, False).result()
        self.tip_is(morse, 0.0, 0.0, 1.3105, 0.0)

    def row_jido(self, morse):
        self.assertEqual(len(morse.JIDO.KUKA.posture.get()), 8)
        for name, angle in morse.JIDO.KUKA.posture.get().items():
            if name != 'timestamp':
                self.assertAlmostEqual(angle, 0.0, delta=0.01)
        morse.JIDO.KUKA.publish({'kuka_1': 0.3, 'kuka_2': -0.5, 'kuka_7': 0.2})
        morse.sleep(1.5)
        self.assertFields(morse.JIDO.KUKA.posture.get(), kuka_1=(0.3, 0.03), kuka_2=(-0.5, 0.03), kuka_7=(0.2, 0.03))
        head = morse.JIDO.ptu
        self.assertEqual(head.get_pan_tilt().result(), [0.0, 0.0])
        head.set_pan_tilt(1.0, -0.5).result()
        morse.sleep(0.1)
        self.assertFields(head.posture.get(), pan=(1, 0.02), tilt=(-0.5, 0.02))
        self.assertAlmostEqual(head.gaze.get()['yaw'], 1.0, delta=0.03)
        head.publish({'pan': 0.0, 'tilt': 0.0})
        morse.sleep(1.3)
        self.assertFields(head.posture.get(), pan=(0, 0.02), tilt=(0, 0.02))
        # North of it, and level with it.
        height = head.gaze.get()['z']
        head.look_at_point(5.2, 10.0, height).result()
        self.assertFields(head.posture.get(), pan=(pi / 2, 0.03), tilt=(0, 0.1))
        head.look_at_object('tape').result()
        # The tape is a good four metres to the west and five to the north.
        self.assertGreater(head.posture.get()['pan'], 2.0)

    def row_old_arm(self, morse):
        morse.old.pa.set_rotation_array(0.2, 0.3).result()
        morse.old.pa.publish({'seg0': 0.5, 'seg1': 0.0, 'seg2': 0.0, 'seg3': 0.0, 'seg4': 0.0, 'seg5': 0.0})
        morse.sleep(1.0)

    def row_hand(self, morse):
        self.assertEqual(morse.old.hand.grab().result(), 'tape')
        self.assertTrue(morse.old.hand.release().result())
        self.assertIsNone(morse.old.hand.release().result())

    def row_pr2(self, morse):
        names = ['torso_lift_joint', 'head_pan_joint', 'l_shoulder_pan_joint', 'r_wrist_roll_joint']
        state = morse.pr2.joint_state.get()
        for name in names:
            self.assertIn(name, state)
        morse.pr2.torso.set_translations([0.2]).result()
        morse.sleep(0.2)
        self.assertAlmostEqual(morse.pr2.joint_state.get()['torso_lift_joint'], 0.2, delta=0.02)
        morse.pr2.torso.head.set_rotations([0.4, 0.2]).result()
        morse.sleep(0.1)
        self.assertAlmostEqual(morse.pr2.joint_state.get()['head_pan_joint'], 0.4, delta=0.02)

    def row_people(self, morse):
        self.assertFields(morse.human.human_pose.get(), x=(-5, 0.01), y=(5, 0.01))
        morse.human.stroll.publish({'v': 1.0, 'w': 0.0})
        morse.sleep(1.0)
        morse.human.stroll.publish({'v': 0.0, 'w': 0.0})
        morse.sleep(0.2)
        self.assertFields(morse.human.human_pose.get(), x=(-4, 0.15), y=(5, 0.01))
        joints = morse.human.skeleton.get_joints().result()
        state = morse.human.skeleton.joint_states.get()
        self.assertEqual(set(joints), set(state) - {'timestamp'})
        morse.human.skeleton.set_rotation(joints[-1], 0.1).result()
        names = ('head', 'wrist_L', 'wrist_R', 'foot_L', 'foot_R')
        targets = {name: f'ik_target.human.skeleton.{name}' for name in names}
        self.assertEqual(set(morse.human.skeleton.list_IK_targets().result()), set(targets.values()))
        morse.human.skeleton.move_IK_target(targets['wrist_R'], [0.1, 0.0, 0.1]).result()
        morse.sleep(0.2)
        after = morse.human.skeleton.joint_states.get()
        moved = {name for name in joints if abs(after[name] - state[name]) > 0.01}
        self.assertTrue({name for name in moved if name.endswith('_right')}, moved)


if __name__ == '__main__':
    from morse.core.morse_time import TimeStrategies
    from morse.testing.testing import main

    main(ArmsTest, time_modes=[TimeStrategies.FixedSimulationStep])
    sys.exit()
