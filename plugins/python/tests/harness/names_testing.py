"""In the style of MORSE's own tests: how robots and components get their names. Run by test_harness."""
import sys

from morse.testing.testing import MorseTestCase
from pymorse import Morse

try:
    # Only there when MORSE itself runs the file.
    from morse.builder import *  # noqa: F401,F403
except ImportError:
    pass


class NamesTest(MorseTestCase):
    def setUpEnv(self):
        from morse.builder.robots import ATRV as Rover

        class Scout(Rover):
            def __init__(self):
                Rover.__init__(self)
                self.eye = Pose()
                self.append(self.eye)

        # By the variable.
        lone = ATRV()
        # By the argument, which counts more; and by the attribute.
        ignored = ATRV('spirit')
        named = ATRV()
        named.name = 'chance'
        # A tree.
        carrier = ATRV()
        head = PTU()
        carrier.append(head)
        lid = Pose()
        head.append(lid)
        deep = Gyroscope('deepest')
        lid.append(deep)
        # Without a variable, by the class.
        carrier.append(GPS())
        # Two of one name, and those of a loop.
        twin = Pose('twin')
        other_twin = Pose('twin')
        carrier.append(twin)
        carrier.append(other_twin)
        for number in range(3):
            crew = ATRV()
            crew.translate(x=3.0 * number, y=10.0)
            left = Pose()
            crew.append(left)
            AbstractComponent.close_context()
        scout = Scout()
        scout.translate(y=-10.0)
        lone.translate(x=5.0)
        ignored.translate(x=10.0)
        named.translate(x=15.0)

        for robot in (lone, ignored, named, carrier, scout):
            robot.add_default_interface('socket')

        env = Environment('empty', fastmode=True)
        env.add_service('socket')
        # Too late for a name of its own.
        casualty = Victim()
        casualty.translate(x=-10.0)

    def test_names(self):
        with Morse() as morse:
            robots = ['Victim', 'carrier', 'chance', 'crew', 'crew_001', 'crew_002', 'lone', 'scout', 'spirit']
            self.assertEqual(sorted(morse.rpc('simulation', 'list_robots')), robots)
            details = morse.rpc('simulation', 'details')['robots']
            components = {robot['name']: sorted(robot['components']) for robot in details}
            self.assertEqual(
                components['carrier'],
                [
                    'carrier.GPS', 'carrier.head', 'carrier.head.lid', 'carrier.head.lid.deepest', 'carrier.twin',
                    'carrier.twin_001',
                ],
            )
            self.assertEqual(components['scout'], ['scout.eye'])
            self.assertEqual(components['crew_002'], ['crew_002.left'])
            self.assertEqual(components['Victim'], [])
            self.assertEqual(len(morse.crews), 3)
            self.assertIsNotNone(morse.scout.eye.get(10))
            self.assertIsNotNone(morse.carrier.head.lid.deepest.get(10))


if __name__ == '__main__':
    from morse.core.morse_time import TimeStrategies
    from morse.testing.testing import main

    main(NamesTest, time_modes=[TimeStrategies.BestEffort])
    sys.exit()
