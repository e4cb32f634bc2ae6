"""In the style of MORSE's own tests: where on Earth a robot is that flies by teleports, and which way it is turned. Run by
test_harness."""
import struct
import sys
from math import cos, pi, radians, sin

from morse.testing.testing import MorseTestCase
from pymorse import Morse
from rows import Rows

try:
    # Only there when MORSE itself runs the file.
    from morse.builder import *  # noqa: F401,F403
except ImportError:
    pass

# Longitude, latitude and altitude of the environment, of which the first is no 32-bit number.
POSITION = (120.00001, 0.0, 0.0)
# NOAA's test value of WMM 2015 there, in nT: north, east, down.
FIELD = (39518.2, 392.9, -11252.4)


def stored(number):
    """As Blender's objects store it."""
    return struct.unpack('f', struct.pack('f', number))[0]


def seen(field, yaw, pitch, roll):
    """A vector of the scene in axes that are turned by these angles."""
    axes = [
        (cos(yaw) * cos(pitch), sin(yaw) * cos(pitch), -sin(pitch)),
        (
            cos(yaw) * sin(pitch) * sin(roll) - sin(yaw) * cos(roll),
            sin(yaw) * sin(pitch) * sin(roll) + cos(yaw) * cos(roll),
            cos(pitch) * sin(roll),
        ),
        (
            cos(yaw) * sin(pitch) * cos(roll) + sin(yaw) * sin(roll),
            sin(yaw) * sin(pitch) * cos(roll) - cos(yaw) * sin(roll),
            cos(pitch) * cos(roll),
        ),
    ]
    return [sum(one * other for one, other in zip(axis, field)) for axis in axes]


class CompassTest(Rows, MorseTestCase):
    def setUpEnv(self):
        from math import pi

        robot = FakeRobot()
        fly = Teleport()
        robot.append(fly)
        dated = Magnetometer()
        dated.properties(date=2015.0)
        robot.append(dated)
        turned = Magnetometer()
        turned.properties(date=2015.0)
        turned.rotate(x=pi / 2)
        robot.append(turned)
        today = Magnetometer()
        robot.append(today)
        imu = IMU()
        robot.append(imu)
        gps = GPS()
        gps.level('raw')
        robot.append(gps)
        attitude = Attitude()
        robot.append(attitude)
        robot.add_default_interface('socket')

        env = Environment('empty', fastmode=True)
        env.properties(longitude=120.00001, latitude=0.0, altitude=0.0, angle_against_north=30.1)
        env.add_service('socket')

    def fly(self, morse, x=0.0, y=0.0, z=1.0, yaw=0.0, pitch=0.0, roll=0.0):
        morse.robot.fly.publish({'x': x, 'y': y, 'z': z, 'yaw': yaw, 'pitch': pitch, 'roll': roll})
        morse.sleep(0.2)

    def field(self, sensor):
        read = sensor.get()
        return [read['x'], read['y'], read['z']]

    def row_the_origin_has_32_bits(self, morse):
        self.fly(morse)
        gps = morse.robot.gps.get()
        # 2 cm are 1.8e-7 degrees; the 64-bit number is 26 cm away.
        self.assertGreater(abs(stored(POSITION[0]) - POSITION[0]), 1e-6)
        self.assertFields(gps, longitude=(stored(POSITION[0]), 1.8e-7), latitude=(0, 1.8e-7), altitude=(1, 0.02))
        # Along x, which lies 30.1 degrees from north: on the equator the radii of the ellipsoid are known.
        self.fly(morse, x=100.0)
        north, east = 100.0 * cos(radians(30.1)), 100.0 * sin(radians(30.1))
        gps = morse.robot.gps.get()
        self.assertFields(
            gps,
            longitude=(stored(POSITION[0]) + east / 6378138.0 * 180 / pi, 1.8e-7),
            latitude=(north / 6335440.3 * 180 / pi, 1.8e-7),
            altitude=(1, 0.02),
        )

    def row_north_east_and_down_are_the_axes_of_the_scene(self, morse):
        self.fly(morse)
        self.assertVector(self.field(morse.robot.dated), FIELD, 0.1)
        # Rolled to the right: its y is down in the scene, which is "up" for the field.
        self.assertVector(self.field(morse.robot.turned), [FIELD[0], FIELD[2], -FIELD[1]], 0.1)

    def row_turned_in_every_way(self, morse):
        for yaw, pitch, roll in ((pi / 2, 0, 0), (-2.0, 0.4, 0.0), (0.5, -0.8, 1.1), (3.0, 0.1, -0.6)):
            self.fly(morse, yaw=yaw, pitch=pitch, roll=roll)
            self.assertVector(self.field(morse.robot.dated), seen(FIELD, yaw, pitch, roll), 0.15)
            imu = morse.robot.imu.get()
            self.assertVector(imu['magnetic_field'], self.field(morse.robot.today), 0.1)
            rotation = morse.robot.attitude.get()['rotation']
            self.assertFields(rotation, yaw=(yaw, 0.01), pitch=(pitch, 0.01), roll=(roll, 0.01))
        # Of the day that is not said, all directions come from one field.
        tilted = self.field(morse.robot.today)
        self.fly(morse)
        self.assertVector(tilted, seen(self.field(morse.robot.today), 3.0, 0.1, -0.6), 0.15)

    def test_the_heading_of_a_robot_that_turns_in_steps(self):
        """What programs that were tuned on MORSE take for a compass."""
        from math import atan2

        with Morse() as morse:
            variation = atan2(FIELD[1], FIELD[0])
            for step in range(4):
                heading = -1.5 + step * 0.7
                self.fly(morse, x=step * 2.0, z=1.0 + step, yaw=heading)
                x, y, _ = self.field(morse.robot.dated)
                self.assertAlmostEqual(variation - atan2(y, x), heading, delta=1e-4)
                self.assertAlmostEqual(morse.robot.gps.get()['altitude'], 1.0 + step, delta=0.02)


if __name__ == '__main__':
    from morse.core.morse_time import TimeStrategies
    from morse.testing.testing import main

    main(CompassTest, time_modes=[TimeStrategies.BestEffort, TimeStrategies.FixedSimulationStep])
    sys.exit()
