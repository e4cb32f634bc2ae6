"""In the style of MORSE's own tests: heat among fires, and things that clients move. Run by test_harness."""
import sys
from math import exp

from morse.testing.testing import MorseTestCase
from pymorse import Morse, MorseServiceFailed
from rows import Rows

try:
    # Only there when MORSE itself runs the file.
    from morse.builder import *  # noqa: F401,F403
except ImportError:
    pass


class FiresTest(Rows, MorseTestCase):
    def setUpEnv(self):
        robot = FakeRobot()
        robot.translate(z=0.5)
        heat = Thermometer()
        robot.append(heat)
        cold = Thermometer()
        cold.properties(DefaultTemperature=-5.0, FireTag='Ice')
        robot.append(cold)
        fly = Teleport()
        robot.append(fly)
        scan = Sick()
        robot.append(scan)
        robot.add_default_interface('socket')

        table = PassiveObject('props/objects', 'SmallTable')
        table.properties(Fire=True)
        table.translate(x=5.0)
        block = Cube('block')
        block.scale = (0.5, 0.5, 0.5)
        block.properties(Fire=True)
        block.translate(y=8.0, z=0.5)
        shelf = PassiveObject('props/objects', 'IKEAShelf')
        shelf.translate(x=-4.0)

        env = Environment('empty', fastmode=True)
        env.add_service('socket')

    def heat(self, robot, *fires):
        """Default temperature and a sum over fires, by MORSE's formula."""
        distances = [sum((one - other) ** 2 for one, other in zip(robot, fire)) ** 0.5 for fire in fires]
        return 15.0 + sum(200.0 * exp(-0.2 * distance) for distance in distances)

    def where(self, morse, name):
        return morse.rpc('simulation', 'get_scene_objects')[name][1]

    def ahead(self, morse):
        return morse.robot.scan.get()['range_list'][90]

    def measured(self, morse):
        morse.sleep(0.2)
        return morse.robot.heat.get()['temperature']

    def row_fires_add_up(self, morse):
        wanted = self.heat((0, 0, 0.5), (5, 0, 0), (0, 8, 0.5))
        self.assertAlmostEqual(self.measured(morse), wanted, delta=0.01)
        self.assertEqual(morse.robot.cold.get()['temperature'], -5.0)

    def row_a_table_is_moved_with_its_fire(self, morse):
        self.assertIsNone(morse.rpc('simulation', 'set_object_position', 'table', [0.0, -2.0, 0.05]))
        self.assertVector(self.where(morse, 'table'), [0, -2, 0.05], 0.001)
        wanted = self.heat((0, 0, 0.5), (0, -2, 0.05), (0, 8, 0.5))
        self.assertAlmostEqual(self.measured(morse), wanted, delta=0.01)
        # It stays where it was put.
        morse.sleep(0.5)
        self.assertVector(self.where(morse, 'table'), [0, -2, 0.05], 0.001)
        # Its plate is met by rays where it is now, at the laser's height.
        self.assertEqual(self.ahead(morse), 30.0)
        morse.rpc('simulation', 'set_object_position', 'table', [2.0, 0.0, 0.08])
        morse.sleep(0.3)
        self.assertAlmostEqual(self.ahead(morse), 1.725, delta=0.02)
        morse.rpc('simulation', 'set_object_position', 'shelf', [1.5, 0.0, 0.02], [0.0, 0.0, 0.0])
        morse.sleep(0.3)
        # The front of one of its boards.
        self.assertAlmostEqual(self.ahead(morse), 1.35, delta=0.02)
        with self.assertRaises(MorseServiceFailed):
            morse.rpc('simulation', 'set_object_position', 'chair', [0, 0, 0])

    def row_the_robot_flies_through(self, morse):
        morse.rpc('simulation', 'set_object_position', 'table', [5.0, 0.0, 0.0])
        for x, y, z in ((4.0, 1.0, 1.0), (0.0, 7.0, 2.0), (-20.0, 0.0, 0.5)):
            morse.robot.fly.publish({'x': x, 'y': y, 'z': z, 'yaw': 1.0, 'pitch': 0.0, 'roll': 0.0})
            wanted = self.heat((x, y, z), (5, 0, 0), (0, 8, 0.5))
            self.assertAlmostEqual(self.measured(morse), wanted, delta=0.02)

    def test_all_is_as_before_after_a_reset(self):
        with Morse() as morse:
            before = self.measured(morse)
            morse.rpc('simulation', 'set_object_position', 'table', [1.0, 0.0, 0.0])
            morse.rpc('simulation', 'set_object_position', 'block', [1.0, 1.0, 0.5], [0.0, 0.0, 1.0])
            self.assertGreater(self.measured(morse), before + 100)
            morse.reset()
            self.assertAlmostEqual(self.measured(morse), before, delta=0.01)
            self.assertVector(self.where(morse, 'table'), [5, 0, 0], 0.001)


if __name__ == '__main__':
    from morse.core.morse_time import TimeStrategies
    from morse.testing.testing import main

    main(FiresTest, time_modes=[TimeStrategies.BestEffort, TimeStrategies.FixedSimulationStep])
    sys.exit()
