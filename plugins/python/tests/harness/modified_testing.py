"""In the style of MORSE's own tests: noise and other frames, on the way out and on the way in. Run by test_harness."""
import struct
import sys
from math import pi

from morse.testing.testing import MorseTestCase
from rows import Rows

try:
    # Only there when MORSE itself runs the file.
    from morse.builder import *  # noqa: F401,F403
except ImportError:
    pass


class ModifiedTest(Rows, MorseTestCase):
    def setUpEnv(self):
        robot = ATRV()
        robot.translate(x=10.0, y=8.0, z=0.0)
        pose = Pose()
        robot.append(pose)
        ned = Pose()
        ned.alter('NED')
        robot.append(ned)
        gyro = Gyroscope()
        gyro.alter('NED')
        robot.append(gyro)
        utm = Pose()
        utm.alter('UTM')
        robot.append(utm)
        feet = Pose()
        feet.alter('feet')
        robot.append(feet)
        earth = Pose()
        earth.alter('geodetic')
        robot.append(earth)
        centred = Pose()
        centred.alter('ECEF')
        robot.append(centred)
        round_earth = Pose()
        round_earth.alter('geocentric')
        robot.append(round_earth)
        noisy = Pose()
        noisy.alter('Noise', pos_std=0.5, rot_std=0.2)
        robot.append(noisy)
        apart = Pose()
        apart.alter('PoseNoise', pos_std={'x': 1.0}, rot_std={'yaw': 0.3})
        robot.append(apart)
        flat = Pose()
        flat.alter('Noise', pos_std=0.5, _2D=True)
        robot.append(flat)
        satellite = GPS()
        satellite.alter('Noise', pos_std=2.0)
        satellite.alter('UTM')
        robot.append(satellite)
        shaky = IMU()
        shaky.alter('Noise', gyro_std=0.2, accel_std=1.0)
        robot.append(shaky)
        drifting = Odometry()
        drifting.alter(classpath='morse.modifiers.odometry_noise.OdometryNoiseModifier', factor=1.0, gyro_drift=0.01)
        robot.append(drifting)
        by_class = Pose()
        by_class.alter(classpath='morse.modifiers.ned.CoordinatesToNED')
        robot.append(by_class)

        jump = Teleport()
        jump.alter('NED')
        robot.append(jump)
        robot.add_default_interface('socket')

        other = ATRV()
        pose = Pose()
        other.append(pose)
        goal = Waypoint()
        goal.alter('UTM')
        goal.properties(ObstacleAvoidance=False)
        other.append(goal)
        other.add_default_interface('socket')

        third = ATRV()
        third.translate(y=-8.0)
        pose = Pose()
        third.append(pose)
        jump = Teleport()
        jump.alter('geodetic')
        third.append(jump)
        third.add_default_interface('socket')

        env = Environment('empty', fastmode=True)
        env.add_service('socket')
        env.properties(UTMXOffset=123456.0, UTMYOffset=-4242.0, UTMZOffset=-1.0)
        env.properties(longitude=1.43, latitude=43.6, altitude=130.0, angle_against_north=90.0)

    def spread(self, morse, sensor, *fields):
        """Standard deviations of a hundred readings."""
        read = []
        sensor.subscribe(read.append)
        while len(read) < 100:
            morse.sleep(0.2)
        sensor.unsubscribe(read.append)
        spreads = []
        for field in fields:
            values = [data[field] for data in read]
            mean = sum(values) / len(values)
            spreads.append((sum((value - mean) ** 2 for value in values) / len(values)) ** 0.5)
        return spreads

    def row_axes(self, morse):
        self.assertFields(morse.robot.pose.get(), x=(10, 0.03), y=(8, 0.03))
        for sensor in (morse.robot.ned, morse.robot.by_class):
            self.assertFields(sensor.get(), x=(8, 0.03), y=(10, 0.03), z=(-0.1, 0.03), yaw=(0, 0.03))
        # North is to the left, a quarter turn; MORSE calls it roll.
        self.assertFields(morse.robot.gyro.get(), roll=(pi / 2, 0.03), yaw=(0, 0.03), pitch=(0, 0.03))

    def row_offsets_and_units(self, morse):
        self.assertFields(morse.robot.utm.get(), x=(123466, 0.05), y=(-4234, 0.05), z=(-0.9, 0.05))
        self.assertFields(morse.robot.feet.get(), x=(32.808, 0.1), y=(26.247, 0.1), z=(0.328, 0.1))

    def row_earth(self, morse):
        self.assertFields(
            morse.robot.earth.get(), x=(1.43 + 10 / 80690, 3e-6), y=(43.6 + 8 / 111110, 3e-6), z=(130.1, 0.1)
        )
        centred = morse.robot.centred.get()
        radius = (centred['x'] ** 2 + centred['y'] ** 2 + centred['z'] ** 2) ** 0.5
        self.assertAlmostEqual(radius, 6368000, delta=2000)
        self.assertAlmostEqual(morse.robot.round_earth.get()['z'], radius, delta=1)

    def row_noise(self, morse):
        x, y, z, yaw = self.spread(morse, morse.robot.noisy, 'x', 'y', 'z', 'yaw')
        for spread in (x, y, z):
            self.assertAlmostEqual(spread, 0.5, delta=0.15)
        self.assertAlmostEqual(yaw, 0.2, delta=0.08)
        x, y, yaw, roll = self.spread(morse, morse.robot.apart, 'x', 'y', 'yaw', 'roll')
        self.assertAlmostEqual(x, 1.0, delta=0.3)
        self.assertAlmostEqual(y, 0.0, delta=0.01)
        self.assertAlmostEqual(yaw, 0.3, delta=0.1)
        x, z = self.spread(morse, morse.robot.flat, 'x', 'z')
        self.assertAlmostEqual(x, 0.5, delta=0.15)
        self.assertAlmostEqual(z, 0.0, delta=0.01)
        x, = self.spread(morse, morse.robot.satellite, 'x')
        self.assertAlmostEqual(x, 2.0, delta=0.6)
        self.assertAlmostEqual(morse.robot.satellite.get()['x'], 123466, delta=12)

    def row_noise_of_vectors(self, morse):
        read = []
        morse.robot.shaky.subscribe(read.append)
        while len(read) < 100:
            morse.sleep(0.2)
        morse.robot.shaky.unsubscribe(read.append)
        rates = [data['angular_velocity'][1] for data in read]
        self.assertAlmostEqual((sum(rate ** 2 for rate in rates) / len(rates)) ** 0.5, 0.2, delta=0.06)
        pulls = [data['linear_acceleration'][2] for data in read]
        self.assertAlmostEqual(sum(pulls) / len(pulls), 9.81, delta=0.4)

    def row_drift(self, morse):
        first = morse.robot.drifting.get()
        morse.sleep(0.5)
        last = morse.robot.drifting.get()
        # A hundredth of a radian in each tick, however many there were.
        ticks = round((last['timestamp'] - first['timestamp']) * 60)
        self.assertGreaterEqual(ticks, 28)
        self.assertAlmostEqual(last['yaw'] - first['yaw'], 0.01 * ticks, delta=0.002)
        morse.robot.drifting.reset_noise().result()
        morse.sleep(0.1)
        self.assertLess(abs(morse.robot.drifting.get()['yaw']), 0.2)

    def row_commands(self, morse):
        morse.robot.jump.publish({'x': 3.0, 'y': 4.0, 'z': -5.0, 'yaw': 0.0, 'pitch': 0.0, 'roll': 0.0})
        morse.sleep(0.2)
        self.assertFields(morse.robot.pose.get(), x=(4, 0.02), y=(3, 0.02), z=(5, 0.02))
        morse.other.goal.publish({'x': 123458.0, 'y': -4242.0, 'z': -1.0, 'tolerance': 0.3, 'speed': 1.0})
        morse.sleep(3.0)
        self.assertFields(morse.other.pose.get(), x=(2, 0.4), y=(0, 0.4))
        # The place of the environment has 32 bits.
        longitude, latitude = struct.unpack('2f', struct.pack('2f', 1.43, 43.6))
        goal = {'x': longitude + 5 / 80690, 'y': latitude - 8 / 111110, 'z': 132.0, 'yaw': 0.0, 'pitch': 0.0, 'roll': 0.0}
        morse.third.jump.publish(goal)
        morse.sleep(0.2)
        self.assertFields(morse.third.pose.get(), x=(5, 0.1), y=(-8, 0.1), z=(2, 0.1))


if __name__ == '__main__':
    from morse.core.morse_time import TimeStrategies
    from morse.testing.testing import main

    main(ModifiedTest, time_modes=[TimeStrategies.BestEffort])
    sys.exit()
