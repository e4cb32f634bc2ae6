"""In the style of MORSE's own tests: two arms of one model, sensors that are made of others, several clients, and robots
that are switched off, put back and hurried. Run by test_harness."""
import sys
from math import cos, sin

from morse.testing.testing import MorseTestCase
from pymorse import Morse, MorseServicePreempted

try:
    # Only there when MORSE itself runs the file.
    from morse.builder import *  # noqa: F401,F403
except ImportError:
    pass

JOINTS = ['kuka_%d' % number for number in range(1, 8)]


class TwoArmsTest(MorseTestCase):
    def setUpEnv(self):
        robot = ATRV()
        left = KukaLWR()
        left.translate(y=0.5, z=0.9)
        left.properties(RotationSpeed=2.0)
        left_joints = ArmaturePose()
        left.append(left_joints)
        left_hand = Pose()
        left_hand.translate(z=1.3105)
        left.append(left_hand)
        robot.append(left)
        right = KukaLWR()
        right.translate(y=-0.5, z=0.9)
        right.rotate(z=math.pi / 2)
        right_joints = ArmaturePose()
        right.append(right_joints)
        right_hand = Pose()
        right_hand.translate(z=1.3105)
        right.append(right_hand)
        robot.append(right)
        far = Odometry()
        far.level('raw')
        robot.append(far)
        steps = Odometry()
        steps.level('differential')
        steps.frequency(20)
        robot.append(steps)
        pose = Pose()
        robot.append(pose)
        north = Pose()
        north.alter('NED')
        robot.append(north)
        both = CompoundSensor([pose, north])
        robot.append(both)
        motion = MotionVW()
        robot.append(motion)
        target = Waypoint()
        target.properties(ControlType='Position', ObstacleAvoidance=False)
        mover = FakeRobot()
        mover.translate(x=-6.0)
        mover.append(target)
        pose = Pose()
        mover.append(pose)
        for each in (robot, mover):
            each.add_default_interface('socket')
        env = Environment('empty', fastmode=True)
        env.add_service('socket')

    def test_arms_are_each_their_own(self):
        with Morse() as morse:
            robot = morse.robot
            self.assertEqual(robot.left.get_joints().result(), JOINTS)
            self.assertEqual(robot.right.get_joints().result(), JOINTS)
            # Both at once, and one of them is told to stop on its way.
            going = robot.left.rotate('kuka_2', -1.0)
            stopped = robot.right.rotate('kuka_2', -2.0, 0.3)
            morse.sleep(0.3)
            stopped.cancel()
            with self.assertRaises(MorseServicePreempted):
                stopped.result()
            going.result()
            morse.sleep(0.1)
            left, right = robot.left.left_joints.get(), robot.right.right_joints.get()
            self.assertEqual([name for name in left if name != 'timestamp'], JOINTS)
            self.assertAlmostEqual(left['kuka_2'], -1.0, delta=0.02)
            self.assertLess(right['kuka_2'], -0.05)
            self.assertGreater(right['kuka_2'], -1.9)
            # The shoulder is 0.3105 m up, the arm a metre long from there; the right one is turned by a quarter.
            height = robot.pose.get()['z'] + 0.9 + 0.3105
            for hand, angle, way, y in (
                (robot.left.left_hand, left['kuka_2'], (1, 0), 0.5),
                (robot.right.right_hand, right['kuka_2'], (0, 1), -0.5),
            ):
                tip = hand.get()
                self.assertAlmostEqual(tip['x'], way[0] * sin(-angle), delta=0.05)
                self.assertAlmostEqual(tip['y'], y + way[1] * sin(-angle), delta=0.05)
                self.assertAlmostEqual(tip['z'], height + cos(angle), delta=0.05)
            # One that rests holds what it has.
            morse.deactivate('robot.left')
            before = robot.right.right_joints.get()['kuka_4']
            robot.right.set_rotation('kuka_4', 0.5).result()
            self.assertAlmostEqual(before, 0.0, delta=0.01)
            self.assertAlmostEqual(robot.left.left_joints.get()['kuka_2'], -1.0, delta=0.02)

    def test_streams_that_are_made_of_others(self):
        with Morse() as morse:
            robot = morse.robot
            robot.motion.publish({'v': 1.0, 'w': 0.0})
            morse.sleep(2.0)
            robot.motion.publish({'v': 0.0, 'w': 0.0})
            morse.sleep(0.3)
            merged = robot.both.get()
            own, turned = merged['robot.pose'], merged['robot.north']
            # Along x by 2 m, less what friction takes; x is east, which NED has second.
            self.assertAlmostEqual(own['x'], 2.0, delta=0.25)
            self.assertAlmostEqual(turned['y'], own['x'], delta=0.02)
            self.assertAlmostEqual(turned['x'], own['y'], delta=0.02)
            self.assertAlmostEqual(turned['z'], -own['z'], delta=0.02)
            self.assertEqual([name for name in robot.far.get() if name != 'timestamp'], ['dS'])
            self.assertEqual(
                {name for name in robot.steps.get() if name != 'timestamp'}, {'dx', 'dy', 'dz', 'dyaw', 'dpitch', 'droll'}
            )
            # Twenty times in a second, however fast that passes.
            self.assertTrue(morse.rpc('time', 'set_time_scale', 2.0))
            seen = []
            robot.steps.subscribe(seen.append)
            morse.sleep(1.0)
            robot.steps.unsubscribe(seen.append)
            self.assertAlmostEqual(len(seen), 20, delta=8)
            steps = [after['timestamp'] - before['timestamp'] for before, after in zip(seen, seen[1:])]
            self.assertAlmostEqual(min(steps), 0.05, delta=0.02)

    def test_two_clients_and_back_to_the_start(self):
        with Morse() as morse, Morse() as other:
            # What one starts the other may stop, and a robot that is switched off does not go on.
            going = morse.mover.target.goto(6.0, 0.0, 0.0, 0.5, 1.0)
            other.sleep(1.0)
            self.assertGreater(other.mover.pose.get()['x'], -5.9)
            self.assertEqual(other.mover.target.get_status().result(), 'Transit')
            other.deactivate('mover.target')
            other.sleep(0.2)
            held = other.mover.pose.get()['x']
            morse.sleep(0.5)
            self.assertAlmostEqual(morse.mover.pose.get()['x'], held, delta=0.01)
            other.activate('mover.target')
            other.sleep(0.5)
            self.assertGreater(other.mover.pose.get()['x'], held + 0.1)
            # Stopping is not giving up.
            other.mover.target.stop().result()
            self.assertEqual(morse.mover.target.get_status().result(), 'Stop')
            self.assertFalse(going.done())
            going.cancel()
            with self.assertRaises(MorseServicePreempted):
                going.result()
            morse.robot.motion.publish({'v': 1.0, 'w': 0.0})
            morse.sleep(1.0)
            morse.robot.motion.publish({'v': 0.0, 'w': 0.0})
            morse.sleep(0.2)
            self.assertGreater(other.robot.pose.get()['x'], 0.5)
            other.reset()
            other.sleep(0.2)
            self.assertAlmostEqual(morse.robot.pose.get()['x'], 0.0, delta=0.05)
            self.assertAlmostEqual(morse.mover.pose.get()['x'], -6.0, delta=0.05)


if __name__ == '__main__':
    from morse.testing.testing import main

    main(TwoArmsTest)
    sys.exit()
