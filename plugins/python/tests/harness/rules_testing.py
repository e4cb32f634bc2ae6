"""In the style of MORSE's own tests: what scripts count on of the way in which robots are held, pushed and driven. Run by
test_harness."""
import sys
from math import cos, exp, log, pi, sin, tan

from morse.testing.testing import MorseTestCase
from pymorse import Morse

try:
    # Only there when MORSE itself runs the file.
    from morse.builder import *  # noqa: F401,F403
except ImportError:
    pass

G = 9.81


def rate(share):
    """Of a damping by which a share is lost in a second."""
    return -log(1.0 - share)


def later(speed, push, damping, seconds):
    """A speed after some seconds under an acceleration and a damping."""
    left = exp(-damping * seconds)
    return speed * left + push * (1.0 - left) / damping


class RulesTest(MorseTestCase):
    def setUpEnv(self):
        def watched(robot, x, y, z=0.0):
            robot.translate(x=x, y=y, z=z)
            pose = Pose()
            robot.append(pose)
            speed = Velocity()
            robot.append(speed)

        sledge = ATRV()
        watched(sledge, -15.0, 0.0)
        sledge._bpy_object.game.lock_location_z = True
        push = ForceTorque()
        sledge.append(push)

        spindle = Submarine()
        watched(spindle, 5.0, 5.0, 5.0)
        game = spindle._bpy_object.game
        game.lock_location_x = game.lock_location_z = True
        game.lock_rotation_x = game.lock_rotation_y = True
        wind = ExternalForce()
        spindle.append(wind)

        plain = ATRV()
        watched(plain, -15.0, -4.0)
        vw = MotionVW()
        plain.append(vw)

        rubber = ATRV()
        watched(rubber, -15.0, -6.0)
        rubber.set_friction(5.0)
        vw = MotionVW()
        rubber.append(vw)

        column = B21()
        watched(column, -15.0, -8.0)
        column.set_friction(5.0)
        vw = MotionVW()
        column.append(vw)

        mast = Jido()
        watched(mast, -15.0, -10.0)
        mast.set_friction(5.0)
        vw = MotionVW()
        mast.append(vw)

        mascot = Morsy()
        watched(mascot, -15.0, -12.0)
        mascot.set_friction(5.0)
        vw = MotionVW()
        mascot.append(vw)

        guide = ATRV()
        watched(guide, -15.0, -15.0)
        goal = Waypoint()
        goal.properties(ObstacleAvoidance=False)
        guide.append(goal)

        heli = RMax()
        watched(heli, 10.0, 10.0, 12.0)
        attitude = Orientation()
        heli.append(attitude)

        turner = RMax()
        watched(turner, 10.0, 4.0, 8.0)
        slow = Orientation()
        slow.properties(speed=0.5)
        turner.append(slow)

        hop = ATRV()
        watched(hop, 15.0, -15.0)
        jump = Teleport()
        hop.append(jump)

        wheels = Pioneer3DX()
        watched(wheels, 12.0, -12.0)
        jump = Teleport()
        wheels.append(jump)

        car = Hummer()
        watched(car, -15.0, 10.0, 1.2)
        steer = SteerForce()
        car.append(steer)

        for robot in (sledge, spindle, plain, rubber, column, mast, mascot, guide, heli, turner, hop, wheels, car):
            robot.add_default_interface('socket')

        env = Environment('empty', fastmode=True)
        env.add_service('socket')

    def assertUpright(self, pose):
        self.assertAlmostEqual(pose['roll'], 0.0, delta=0.02)
        self.assertAlmostEqual(pose['pitch'], 0.0, delta=0.02)

    def assertAt(self, pose, delta, **wanted):
        for name, value in wanted.items():
            self.assertAlmostEqual(pose[name], value, delta=delta, msg=f'{name} of {pose}')

    def test_locked_axes_are_pushed_along_the_others(self):
        with Morse() as morse:
            morse.sledge.push.publish({'force': [100.0, 0.0, 0.0], 'torque': [0.0, 0.0, 0.0]})
            morse.spindle.wind.publish({'force': [0.5, 0.5, 0.5], 'torque': [0.1, 0.1, 0.5]})
            morse.sleep(0.3)
            first = morse.sledge.speed.get()
            morse.sleep(1.0)
            second = morse.sledge.speed.get()
            # 20 kg, of whose speed a second takes 2.54 %: about 4.8 m/s².
            seconds = second['timestamp'] - first['timestamp']
            before, after = first['world_linear_velocity'][0], second['world_linear_velocity'][0]
            self.assertGreater(before, 0.5)
            self.assertAlmostEqual(after, later(before, 5.0, rate(0.0254), seconds), delta=0.1)
            pose = morse.sledge.pose.get()
            self.assertAt(pose, 0.001, z=0.1, y=0.0)
            self.assertUpright(pose)
            self.assertAlmostEqual(pose['yaw'], 0.0, delta=0.02)
            # What is locked elsewhere gives way to the side, and spins.
            pose = morse.spindle.pose.get()
            self.assertAt(pose, 0.001, x=5.0, z=5.0, roll=0.0, pitch=0.0)
            self.assertGreater(pose['y'], 5.2)
            self.assertGreater(abs(morse.spindle.speed.get()['angular_velocity'][2]), 0.01)
            # It stops where nothing pushes, but for what damping takes.
            morse.sledge.push.publish({'force': [0.0, 0.0, 0.0], 'torque': [0.0, 0.0, 0.0]})
            morse.sleep(0.2)
            first = morse.sledge.speed.get()
            morse.sleep(0.5)
            second = morse.sledge.speed.get()
            seconds = second['timestamp'] - first['timestamp']
            kept = second['world_linear_velocity'][0] / first['world_linear_velocity'][0]
            self.assertAlmostEqual(kept, exp(-rate(0.0254) * seconds), delta=0.01)

    def test_friction_brakes_and_tips_nobody_over(self):
        with Morse() as morse:
            braked = {'plain': 0.25, 'rubber': 2.5, 'column': 2.5, 'mast': 2.5, 'mascot': 2.5}
            robots = {name: getattr(morse, name) for name in braked}
            going = morse.guide.goal.goto(-12.0, -15.0, 0.0, 0.3, 1.0)
            for robot in robots.values():
                robot.vw.publish({'v': 1.0, 'w': 0.0})
            morse.sleep(0.5)
            first = {name: robot.pose.get() for name, robot in robots.items()}
            morse.sleep(2.0)
            second = {name: robot.pose.get() for name, robot in robots.items()}
            for name, mu in braked.items():
                seconds = second[name]['timestamp'] - first[name]['timestamp']
                speed = (second[name]['x'] - first[name]['x']) / seconds
                # Two steps of 1/120 s a tick, each with μ g / 120 less; the coefficients are multiplied.
                self.assertAlmostEqual(speed, 1.0 - mu * G / 80.0, delta=0.03, msg=name)
                self.assertUpright(second[name])
                self.assertAlmostEqual(second[name]['z'], first[name]['z'], delta=0.005, msg=name)
            self.assertEqual(going.result(), 'Arrived')
            pose = morse.guide.pose.get()
            self.assertAt(pose, 0.35, x=-12.0, y=-15.0)
            self.assertUpright(pose)
            for robot in robots.values():
                robot.vw.stop().result()
            morse.sleep(0.5)
            stopped = {name: robot.pose.get() for name, robot in robots.items()}
            morse.sleep(0.3)
            for name, robot in robots.items():
                pose = robot.pose.get()
                self.assertAt(pose, 0.005, x=stopped[name]['x'], y=stopped[name]['y'])
                self.assertUpright(pose)

    def test_arcs_end_where_they_should(self):
        with Morse() as morse:
            drive, pose = morse.plain.vw, morse.plain.pose
            start = pose.get()
            for v, w in ((1.0, 0.5), (0.5, -1.0)):
                drive.publish({'v': v, 'w': w})
                morse.sleep(0.2)
                first = pose.get()
                morse.sleep(3.0)
                second = pose.get()
                drive.publish({'v': 0.0, 'w': 0.0})
                morse.sleep(0.3)
                seconds = second['timestamp'] - first['timestamp']
                turned = (second['yaw'] - first['yaw'] + pi) % (2 * pi) - pi
                wanted = w * seconds
                self.assertAlmostEqual((turned - wanted + pi) % (2 * pi) - pi, 0.0, delta=0.1)
                # The chord of a circle of v/w, from where it was.
                heading, radius = first['yaw'], v / w
                x = first['x'] + radius * (sin(heading + wanted) - sin(heading))
                y = first['y'] - radius * (cos(heading + wanted) - cos(heading))
                self.assertAt(second, 0.1, x=x, y=y)
                self.assertAlmostEqual(second['z'], start['z'], delta=0.005)
                self.assertUpright(second)
            # A waypoint's turn is none of this: it ends at its goal.
            self.assertEqual(morse.guide.goal.goto(-14.0, -12.0, 0.0, 0.3, 1.5).result(), 'Arrived')
            self.assertAt(morse.guide.pose.get(), 0.35, x=-14.0, y=-12.0)

    def test_who_is_held_hangs_until_the_holder_is_deactivated(self):
        with Morse() as morse:
            self.assertAt(morse.heli.pose.get(), 0.001, x=10.0, y=10.0, z=12.0, roll=0.0)
            morse.heli.attitude.publish({'yaw': 1.0, 'pitch': 0.3, 'roll': -0.2})
            # Half in the ground, and a robot on wheels in the air.
            morse.hop.jump.publish({'x': 15.0, 'y': -15.0, 'z': -0.3, 'yaw': 0.5, 'pitch': 0.0, 'roll': 0.2})
            morse.wheels.jump.publish({'x': 12.0, 'y': -8.0, 'z': 2.0, 'yaw': 2.0, 'pitch': 0.0, 'roll': 0.0})
            morse.turner.slow.publish({'yaw': 1.5, 'pitch': 1.2, 'roll': 0.0})
            morse.sleep(0.5)
            # Errors of angles are rates about its own axes.
            rates = morse.turner.speed.get()['angular_velocity']
            self.assertAlmostEqual(rates[1], 0.5, delta=0.03)
            self.assertAlmostEqual(rates[2], 0.5, delta=0.03)
            for _ in range(3):
                self.assertAt(morse.heli.pose.get(), 0.001, x=10.0, y=10.0, z=12.0, yaw=1.0, pitch=0.3, roll=-0.2)
                self.assertAt(morse.hop.pose.get(), 0.001, x=15.0, y=-15.0, z=-0.3, yaw=0.5, pitch=0.0, roll=0.2)
                self.assertAt(morse.wheels.pose.get(), 0.001, x=12.0, y=-8.0, z=2.0, yaw=2.0, pitch=0.0, roll=0.0)
                morse.sleep(0.1)
            for holder in ('heli.attitude', 'hop.jump', 'wheels.jump'):
                morse.deactivate(holder)
            morse.sleep(0.1)
            first = morse.heli.speed.get()
            morse.sleep(0.4)
            second = morse.heli.speed.get()
            seconds = second['timestamp'] - first['timestamp']
            before, after = first['world_linear_velocity'][2], second['world_linear_velocity'][2]
            self.assertLess(before, -0.1)
            self.assertAlmostEqual(after, later(before, -G, rate(0.04), seconds), delta=0.1)
            # The others come to rest on the ground, with all their parts.
            morse.sleep(1.5)
            self.assertGreater(morse.hop.pose.get()['z'], 0.0)
            self.assertAt(morse.wheels.pose.get(), 0.03, z=0.1)
            self.assertAt(morse.wheels.pose.get(), 0.3, x=12.0, y=-8.0)

    def test_a_car_drives_by_the_rule(self):
        with Morse() as morse:
            def speed():
                told = morse.car.speed.get()
                return told['timestamp'], told['world_linear_velocity']

            damping = rate(0.4)
            morse.sleep(0.5)
            self.assertAlmostEqual(morse.car.pose.get()['z'], 1.1313, delta=0.01)
            # Ahead is a negative force: four wheels, each with 0.4 of it, on 10 kg.
            morse.car.steer.publish({'steer': 0.0, 'force': -15.0, 'brake': 0.0})
            morse.sleep(0.3)
            start, before = speed()
            morse.sleep(1.0)
            end, after = speed()
            self.assertGreater(before[0], 0.3)
            self.assertAlmostEqual(after[0], later(before[0], 2.4, damping, end - start), delta=0.06)
            # 2 · (0.1 + 1.3) of 0.05 N·s in each of 120 steps a second.
            morse.car.steer.publish({'steer': 0.0, 'force': 0.0, 'brake': 0.05})
            morse.sleep(0.1)
            start, before = speed()
            morse.sleep(0.4)
            end, after = speed()
            # On a busy machine the pause can last until the car stands.
            braked = max(0.0, later(before[0], -1.68, damping, end - start))
            self.assertAlmostEqual(after[0], braked, delta=0.06)
            morse.sleep(1.5)
            stopped = morse.car.pose.get()
            morse.sleep(0.3)
            self.assertAt(morse.car.pose.get(), 0.005, x=stopped['x'], y=stopped['y'])
            # As a bicycle of 3.9 m, to the left.
            morse.car.steer.publish({'steer': 0.2, 'force': -12.0, 'brake': 0.0})
            morse.sleep(1.5)
            first, (_, velocity) = morse.car.pose.get(), speed()
            morse.sleep(0.3)
            second, (_, faster) = morse.car.pose.get(), speed()
            turning = (second['yaw'] - first['yaw']) / (second['timestamp'] - first['timestamp'])
            mean = sum((v[0] ** 2 + v[1] ** 2) ** 0.5 for v in (velocity, faster)) / 2
            self.assertAlmostEqual(turning / (mean * tan(0.2) / 3.9), 1.0, delta=0.15)
            # Its nose is lower than its tail, since its weight is nearer to the front wheels.
            self.assertAt(second, 0.05, roll=0.0, pitch=0.015)


if __name__ == '__main__':
    from morse.testing.testing import main

    main(RulesTest)
    sys.exit()
