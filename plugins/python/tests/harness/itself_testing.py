"""In the style of MORSE's own tests: sensors of what the robot itself does. Run by test_harness."""
import sys
from math import cos, pi, radians, sin

from morse.testing.testing import MorseTestCase
from rows import Rows

try:
    # Only there when MORSE itself runs the file.
    from morse.builder import *  # noqa: F401,F403
except ImportError:
    pass


class ItselfTest(Rows, MorseTestCase):
    def setUpEnv(self):
        robot = ATRV()
        robot.translate(x=10.0, y=8.0)

        motion = MotionVW()
        robot.append(motion)
        teleport = Teleport()
        robot.append(teleport)

        pose = Pose()
        pose.translate(z=0.5)
        robot.append(pose)
        gyro = Gyroscope()
        robot.append(gyro)
        simple = GPS()
        robot.append(simple)
        raw = GPS()
        raw.level('raw')
        robot.append(raw)
        extended = GPS()
        extended.level('extended')
        robot.append(extended)
        odometry = Odometry()
        robot.append(odometry)
        way = Odometry()
        way.level('raw')
        robot.append(way)
        steps = Odometry()
        steps.level('differential')
        robot.append(steps)
        speed = Velocity()
        robot.append(speed)
        by_pose = Velocity()
        by_pose.properties(ComputationMode='Position')
        robot.append(by_pose)
        accel = Accelerometer()
        robot.append(accel)
        accel_by_pose = Accelerometer()
        accel_by_pose.properties(ComputationMode='Position')
        robot.append(accel_by_pose)
        imu = IMU()
        robot.append(imu)
        attitude = Attitude()
        attitude.properties(UseAngleAgainstNorth=True)
        robot.append(attitude)
        magneto = Magnetometer()
        magneto.properties(date=2015.5)
        robot.append(magneto)
        pressure = Barometer()
        pressure.properties(ReferencePressure=100000.0)
        robot.append(pressure)
        radar = RadarAltimeter()
        radar.properties(MaxRange=20.0)
        robot.append(radar)
        pitot = Airspeed()
        robot.append(pitot)
        clock = Clock()
        clock.frequency(10)
        robot.append(clock)

        robot.add_default_interface('socket')

        env = Environment('empty', fastmode=True)
        env.add_service('socket')
        env.properties(longitude=1.43, latitude=43.5, altitude=135.0, angle_against_north=45.0)

    def set_pose(self, morse, **pose):
        """Puts the robot somewhere, where it stays."""
        morse.activate('robot.teleport')
        data = {'x': 0.0, 'y': 0.0, 'z': 0.1, 'yaw': 0.0, 'pitch': 0.0, 'roll': 0.0}
        morse.robot.teleport.publish({**data, **pose})
        morse.sleep(0.3)

    def row_pose_and_gyroscope(self, morse):
        start = morse.robot.pose.get()
        self.assertEqual(list(start), ['timestamp', 'x', 'y', 'z', 'yaw', 'pitch', 'roll'])
        self.assertFields(start, x=(10, 0.03), y=(8, 0.03), z=(0.6, 0.03), yaw=(0, 0.03))
        self.set_pose(morse, x=1.0, y=2.0, z=3.0, yaw=pi / 2, pitch=-0.3, roll=0.2)
        self.assertFields(morse.robot.gyro.get(), yaw=(pi / 2, 0.02), pitch=(-0.3, 0.02), roll=(0.2, 0.02))
        # Half a metre along the robot's z axis: Rz Ry Rx of (0, 0, 0.5).
        up = (cos(-0.3) * sin(0.2), -sin(-0.3) * cos(0.2), cos(-0.3) * cos(0.2))
        # A quarter turn to the left makes (x, y) to (-y, x); sin(-0.3) cos(0.2) is along the turned x axis.
        self.assertFields(
            morse.robot.pose.get(),
            x=(1 + 0.5 * sin(0.2), 0.02),
            y=(2 + 0.5 * sin(-0.3) * cos(0.2), 0.02),
            z=(3 + 0.5 * up[2], 0.02),
        )

    def row_gps(self, morse):
        self.set_pose(morse, x=10.0, y=-20.0, z=5.0, yaw=0.0)
        self.assertFields(morse.robot.simple.get(), x=(10, 0.02), y=(-20, 0.02), z=(5, 0.02))
        data = morse.robot.raw.get()
        self.assertEqual(list(data), ['timestamp', 'longitude', 'latitude', 'altitude', 'velocity'])
        # X points north-east: (10, -20) is 10 sin 45 - 20 cos 45 ... along east, and the rest along north.
        east = 10 * sin(radians(45)) + 20 * cos(radians(45))
        north = 10 * cos(radians(45)) - 20 * sin(radians(45))
        self.assertFields(
            data,
            longitude=(1.43 + east / 80830, 3e-6),
            latitude=(43.5 + north / 111110, 3e-6),
            altitude=(140, 0.05),
        )
        data = morse.robot.extended.get()
        self.assertRegex(data['date'], r'^\d{6}$')
        self.assertRegex(data['time'], r'^\d{6}$')
        # X points north-east.
        self.assertAlmostEqual(data['heading'], 45.0, places=2)

    def row_attitude(self, morse):
        self.set_pose(morse, z=2.0, yaw=0.4)
        data = morse.robot.attitude.get()
        # Compass: 45 degrees east of north, less what it is turned to the left; counted to the left.
        self.assertAlmostEqual(data['rotation']['yaw'], 0.4 - radians(45), delta=0.02)
        self.assertAlmostEqual(data['rotation']['pitch'], 0.0, delta=0.02)
        self.assertVector(data['angular_velocity'], [0, 0, 0], 0.05)

    def row_magnetometer(self, morse):
        self.set_pose(morse, z=2.0)
        field = morse.robot.magneto.get()
        strength = (field['x'] ** 2 + field['y'] ** 2 + field['z'] ** 2) ** 0.5
        # The south of France: some 46 microtesla, three fifths of pi/2 downwards.
        self.assertAlmostEqual(strength, 46300, delta=700)
        self.set_pose(morse, z=2.0, yaw=pi)
        turned = morse.robot.magneto.get()
        self.assertAlmostEqual(turned['x'], -field['x'], delta=100)
        self.assertAlmostEqual(turned['z'], field['z'], delta=100)

    def row_heights(self, morse):
        self.set_pose(morse, z=0.1)
        low = morse.robot.pressure.get()['pressure']
        self.assertAlmostEqual(low, 100000, delta=3)
        self.assertAlmostEqual(morse.robot.radar.get()['z'], 0.1, delta=0.02)
        self.set_pose(morse, z=10.1, roll=0.5)
        # The standard atmosphere loses 12 Pa a metre at first.
        exponent = 9.81 * 0.0289644 / (8.31447 * 0.0065)
        wanted = 100000 * (1 - 0.0065 * 10 / 288.15) ** exponent
        self.assertAlmostEqual(morse.robot.pressure.get()['pressure'], wanted, delta=1)
        self.assertAlmostEqual(morse.robot.radar.get()['z'], 10.1, delta=0.02)
        self.set_pose(morse, z=25.0)
        self.assertEqual(morse.robot.radar.get()['z'], float('inf'))

    def row_inertial_unit_at_rest(self, morse):
        self.set_pose(morse)
        morse.deactivate('robot.teleport')
        morse.sleep(1.0)
        imu = morse.robot.imu.get()
        self.assertVector(imu['angular_velocity'], [0, 0, 0], 0.05)
        self.assertVector(imu['linear_acceleration'], [0, 0, 9.81], 0.2)
        self.assertEqual(len(imu['magnetic_field']), 3)
        accel = morse.robot.accel.get()
        self.assertVector(accel['velocity'], [0, 0, 0], 0.1)
        self.assertVector(accel['acceleration'], [0, 0, 0], 0.3)
        self.assertAlmostEqual(accel['distance'], 0.0, delta=0.06)

    def row_speeds_of_a_drive(self, morse):
        before = morse.robot.way.get()['dS']
        self.assertAlmostEqual(before, 0.0, delta=0.001)
        start = morse.robot.odometry.get()
        morse.robot.motion.publish({'v': 1.0, 'w': 0.0})
        morse.sleep(0.5)
        for sensor in (morse.robot.speed, morse.robot.by_pose):
            data = sensor.get()
            self.assertVector(data['linear_velocity'], [1, 0, 0], 0.1)
            self.assertVector(data['world_linear_velocity'], [1, 0, 0], 0.1)
            self.assertVector(data['angular_velocity'], [0, 0, 0], 0.05)
        self.assertVector(morse.robot.accel.get()['velocity'], [1, 0, 0], 0.1)
        self.assertVector(morse.robot.accel_by_pose.get()['velocity'], [1, 0, 0], 0.1)
        # Half of the density of air times the square of the speed.
        self.assertAlmostEqual(morse.robot.pitot.get()['diff_pressure'], 0.5 * 1.225, delta=0.12)
        # A sixtieth of a metre each sixtieth of a second.
        self.assertAlmostEqual(morse.robot.way.get()['dS'], 1 / 60, delta=0.003)
        self.assertAlmostEqual(morse.robot.steps.get()['dx'], 1 / 60, delta=0.003)
        velocity = morse.robot.raw.get()['velocity']
        self.assertVector(velocity, [sin(radians(45)), cos(radians(45)), 0], 0.1)
        self.assertAlmostEqual(morse.robot.extended.get()['heading'], 45.0, delta=1)
        odometry = morse.robot.odometry.get()
        self.assertEqual(list(odometry), 'timestamp x y z yaw pitch roll vx vy vz wz wy wx'.split())
        self.assertFields(odometry, vx=(1, 0.1), vy=(0, 0.05), wz=(0, 0.05))
        self.assertGreater(odometry['x'] - start['x'], 0.3)
        morse.robot.motion.publish({'v': 0.0, 'w': 0.5})
        morse.sleep(0.5)
        self.assertVector(morse.robot.speed.get()['angular_velocity'], [0, 0, 0.5], 0.05)
        self.assertVector(morse.robot.attitude.get()['angular_velocity'], [0, 0, 0.5], 0.05)
        self.assertVector(morse.robot.imu.get()['angular_velocity'], [0, 0, 0.5], 0.05)
        morse.robot.motion.publish({'v': 0.0, 'w': 0.0})
        morse.sleep(0.2)

    def row_clock(self, morse):
        first = morse.robot.clock.get()['timestamp']
        second = morse.robot.clock.get()['timestamp']
        self.assertAlmostEqual((second - first) * 10, round((second - first) * 10), delta=0.2)


if __name__ == '__main__':
    from morse.core.morse_time import TimeStrategies
    from morse.testing.testing import main

    main(ItselfTest, time_modes=[TimeStrategies.BestEffort])
    sys.exit()
