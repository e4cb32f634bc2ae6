"""In the style of MORSE's own tests: what moves robots. Run by test_harness."""
import sys
from math import pi

from morse.testing.testing import MorseTestCase
from pymorse import MorseServicePreempted
from rows import Rows

try:
    # Only there when MORSE itself runs the file.
    from morse.builder import *  # noqa: F401,F403
except ImportError:
    pass


class MovingTest(Rows, MorseTestCase):
    def setUpEnv(self):
        def with_pose(robot):
            pose = Pose()
            pose.add_stream('socket')
            robot.append(pose)

        walker = ATRV()
        with_pose(walker)
        vw = MotionVW()
        walker.append(vw)

        crab = ATRV()
        crab.translate(y=5.0)
        with_pose(crab)
        xyw = MotionXYW()
        crab.append(xyw)

        slider = ATRV()
        slider.translate(y=-5.0)
        with_pose(slider)
        step = MotionVW()
        step.properties(ControlType='Position')
        slider.append(step)

        wheels = Pioneer3DX()
        wheels.translate(x=5.0, y=10.0)
        with_pose(wheels)
        diff = MotionVWDiff()
        wheels.append(diff)

        guide = ATRV()
        guide.translate(x=-10.0)
        with_pose(guide)
        goal = Waypoint()
        goal.properties(ObstacleAvoidance=False)
        guide.append(goal)

        bird = RMax()
        bird.translate(x=-10.0, y=8.0, z=8.0)
        with_pose(bird)
        fly = Destination()
        fly.properties(Speed=2.0, Tolerance=0.3)
        bird.append(fly)

        look = Quadrotor()
        look.translate(x=-10.0, y=-8.0, z=6.0)
        look._bpy_object.game.lock_location_z = True
        with_pose(look)
        turn = Orientation()
        turn.properties(speed=1.0)
        look.append(turn)

        pushed = Submarine()
        pushed.translate(x=0.0, y=-14.0, z=5.0)
        pushed._bpy_object.game.lock_location_z = True
        with_pose(pushed)
        push = ForceTorque()
        push.properties(RobotFrame=True)
        pushed.append(push)
        outer = ExternalForce()
        pushed.append(outer)
        speed = Velocity()
        pushed.append(speed)
        air = Drag()
        air.properties(DragCoeffX=0.5)
        pushed.append(air)

        car = Hummer()
        car.translate(x=10.0, y=-10.0, z=1.3)
        with_pose(car)
        steer = SteerForce()
        car.append(steer)

        hop = ATRV()
        hop.translate(x=15.0, y=15.0)
        with_pose(hop)
        jump = Teleport()
        hop.append(jump)

        for robot in (walker, crab, slider, wheels, guide, bird, look, pushed, car, hop):
            robot.add_default_interface('socket')

        env = Environment('empty', fastmode=True)
        env.add_service('socket')

    def row_speed_and_turning_rate(self, morse):
        drive = morse.walker.vw
        drive.publish({'v': 1.0, 'w': 0.0})
        morse.sleep(2.1)
        drive.publish({'v': 0.0, 'w': 0.0})
        morse.sleep(0.2)
        self.assertFields(morse.walker.pose.get(), x=(2, 0.15), y=(0, 0.1), yaw=(0, 0.1))
        drive.set_speed(1.0, -pi / 4).result()
        morse.sleep(2.1)
        self.assertIsNone(drive.stop().result())
        morse.sleep(0.2)
        # A quarter of a circle of 4/pi m.
        self.assertFields(morse.walker.pose.get(), x=(2 + 4 / pi, 0.2), y=(-4 / pi, 0.2), yaw=(-pi / 2, 0.15))

    def row_sideways(self, morse):
        morse.crab.xyw.publish({'x': 0.0, 'y': 1.0, 'w': 0.0})
        morse.sleep(1.1)
        morse.crab.xyw.publish({'x': 0.0, 'y': 0.0, 'w': 0.0})
        morse.sleep(0.2)
        self.assertFields(morse.crab.pose.get(), x=(0, 0.1), y=(6, 0.15), yaw=(0, 0.1))

    def row_step_by_step(self, morse):
        before = morse.slider.pose.get()
        morse.slider.step.publish({'v': 1.0, 'w': 0.0})
        morse.sleep(1.0)
        morse.slider.step.publish({'v': 0.0, 'w': 0.0})
        morse.sleep(0.2)
        self.assertFields(morse.slider.pose.get(), x=(before['x'] + 1, 0.15), y=(-5, 0.05))

    def row_wheels(self, morse):
        before = morse.wheels.pose.get()
        morse.wheels.diff.publish({'v': 0.5, 'w': 0.0})
        morse.sleep(2.1)
        morse.wheels.diff.publish({'v': 0.0, 'w': 0.0})
        morse.sleep(0.5)
        after = morse.wheels.pose.get()
        self.assertFields(after, x=(before['x'] + 1, 0.2), y=(before['y'], 0.1))
        morse.wheels.diff.set_speed(0.0, 0.5).result()
        morse.sleep(2.1)
        morse.wheels.diff.stop().result()
        morse.sleep(0.5)
        self.assertAlmostEqual(morse.wheels.pose.get()['yaw'] - after['yaw'], 1.0, delta=0.3)

    def row_waypoints(self, morse):
        goal = morse.guide.goal
        self.assertEqual(goal.get_status(), 'Arrived')
        goal.publish({'x': -8.0, 'y': 0.0, 'z': 0.0, 'tolerance': 0.3, 'speed': 2.0})
        morse.sleep(0.3)
        self.assertEqual(goal.get_status(), 'Transit')
        morse.sleep(2.0)
        self.assertEqual(goal.get_status(), 'Arrived')
        self.assertLess(abs(morse.guide.pose.get()['x'] + 8), 0.4)
        going = goal.goto(-8.0, 3.0, 0.0, 0.3, 1.5)
        morse.sleep(0.3)
        self.assertEqual(goal.stop().result(), 'Stop')
        held = morse.guide.pose.get()
        morse.sleep(0.5)
        self.assertFields(morse.guide.pose.get(), x=(held['x'], 0.1), y=(held['y'], 0.1))
        self.assertTrue(going.running())
        self.assertEqual(goal.resume().result(), 'Transit')
        self.assertEqual(going.result(), 'Arrived')
        first = goal.goto(-20.0, 0.0, 0.0)
        second = goal.goto(-8.0, 1.0, 0.0, 0.5, 2.0)
        with self.assertRaises(MorseServicePreempted):
            first.result()
        self.assertEqual(second.result(), 'Arrived')
        last = goal.goto(-20.0, 0.0, 0.0)
        morse.sleep(0.2)
        last.cancel()
        with self.assertRaises(MorseServicePreempted):
            last.result()
        # Where it is already there is nothing to do.
        self.assertIsNone(goal.setdest(-8.0, 1.0, 0.0, 3.0, 1.0).result())

    def row_straight_to_a_point(self, morse):
        start = morse.bird.pose.get()
        self.assertFields(start, x=(-10, 0.1), y=(8, 0.1), z=(8, 0.1))
        morse.bird.fly.publish({'x': -7.0, 'y': 8.0, 'z': 10.0})
        morse.sleep(3.0)
        self.assertFields(morse.bird.pose.get(), x=(-7, 0.4), y=(8, 0.4), z=(10, 0.4))

    def row_angles(self, morse):
        before = morse.look.pose.get()['timestamp']
        morse.look.turn.publish({'yaw': 3.0, 'pitch': 0.0, 'roll': 0.0})
        # A radian in a second of simulated time, however late this program sees it.
        on_the_way = []
        pose = morse.look.pose.get()
        while pose['yaw'] < 2.9 and pose['timestamp'] < before + 20.0:
            if pose['yaw'] > 0.05:
                on_the_way.append((pose['timestamp'], pose['yaw']))
            pose = morse.look.pose.get()
        if len(on_the_way) > 1:
            (first, low), (last, high) = on_the_way[0], on_the_way[-1]
            self.assertAlmostEqual(high - low, last - first, delta=0.1)
        morse.sleep(1.0)
        self.assertFields(morse.look.pose.get(), yaw=(3, 0.05), pitch=(0, 0.05), roll=(0, 0.05))

    def row_forces(self, morse):
        calm = morse.pushed.speed.get()['linear_velocity']
        self.assertVector(calm, [0, 0, 0], 0.05)
        before = morse.pushed.pose.get()
        morse.pushed.push.publish({'force': [2.0, 0.0, 0.0], 'torque': [0.0, 0.0, 0.0]})
        morse.sleep(4.0)
        # Air takes half of the square of the speed, so the force holds two metres a second.
        self.assertAlmostEqual(morse.pushed.speed.get()['linear_velocity'][0], 2.0, delta=0.25)
        self.assertGreater(morse.pushed.pose.get()['x'] - before['x'], 3.0)
        morse.pushed.push.publish({'force': [0.0, 0.0, 0.0], 'torque': [0.0, 0.0, 0.0]})
        morse.pushed.outer.publish({'force': [0.0, 1.0, 0.0], 'torque': [0.0, 0.0, 0.0]})
        morse.sleep(0.5)
        self.assertGreater(morse.pushed.speed.get()['world_linear_velocity'][1], 0.2)

    def row_a_car(self, morse):
        before = morse.car.pose.get()
        # It faces east, and is driven by a negative force.
        morse.car.steer.publish({'steer': 0.0, 'force': -20.0, 'brake': 0.0})
        morse.sleep(2.0)
        after = morse.car.pose.get()
        self.assertGreater(after['x'] - before['x'], 1.0)
        self.assertAlmostEqual(after['y'], before['y'], delta=0.5)
        morse.car.steer.publish({'steer': 0.0, 'force': 0.0, 'brake': 50.0})
        morse.sleep(2.0)
        stopped = morse.car.pose.get()
        morse.sleep(0.5)
        self.assertAlmostEqual(morse.car.pose.get()['x'], stopped['x'], delta=0.1)
        # A positive one drives it back.
        morse.car.steer.publish({'steer': 0.0, 'force': 20.0, 'brake': 0.0})
        morse.sleep(2.0)
        self.assertLess(morse.car.pose.get()['x'], stopped['x'] - 1.0)
        morse.car.steer.publish({'steer': 0.0, 'force': 0.0, 'brake': 50.0})
        morse.sleep(1.5)
        # Ahead, and to the left, which is north.
        before = morse.car.pose.get()
        morse.car.steer.publish({'steer': 0.15, 'force': -20.0, 'brake': 0.0})
        morse.sleep(1.5)
        after = morse.car.pose.get()
        self.assertGreater(after['x'], before['x'] + 1.0)
        self.assertGreater(after['y'], before['y'] + 0.03)
        self.assertGreater(after['yaw'], before['yaw'] + 0.03)
        morse.car.steer.publish({'steer': 0.0, 'force': 0.0, 'brake': 50.0})

    def row_teleporting(self, morse):
        jump = morse.hop.jump
        jump.publish({'x': 12.0, 'y': 14.0, 'z': 2.0, 'yaw': pi, 'pitch': 0.0, 'roll': 0.0})
        morse.sleep(0.2)
        self.assertFields(morse.hop.pose.get(), x=(12, 0.01), y=(14, 0.01), z=(2, 0.01), pitch=(0, 0.01))
        self.assertAlmostEqual(abs(morse.hop.pose.get()['yaw']), pi, delta=0.01)
        jump.translate(1.0, -2.0, 0.5).result()
        morse.sleep(0.2)
        self.assertFields(morse.hop.pose.get(), x=(13, 0.01), y=(12, 0.01), z=(2.5, 0.01))
        jump.publish({'x': 12.0, 'y': 14.0, 'z': 2.0, 'yaw': 0.0, 'pitch': 0.0, 'roll': 0.0})
        jump.rotate(0.0, 0.0, 0.3).result()
        morse.sleep(0.2)
        # Let go, it falls.
        morse.deactivate('hop.jump')
        morse.sleep(1.5)
        self.assertAlmostEqual(morse.hop.pose.get()['z'], 0.1, delta=0.05)


if __name__ == '__main__':
    from morse.core.morse_time import TimeStrategies
    from morse.testing.testing import main

    main(MovingTest, time_modes=[TimeStrategies.BestEffort])
    sys.exit()
