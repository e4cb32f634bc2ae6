"""In the style of MORSE's own tests: sensors of what is around a robot. Run by test_harness."""
import sys
from math import exp, pi

from morse.testing.testing import MorseTestCase
from pymorse import MorseServiceFailed
from rows import Rows

try:
    # Only there when MORSE itself runs the file.
    from morse.builder import *  # noqa: F401,F403
except ImportError:
    pass


class AroundTest(Rows, MorseTestCase):
    def setUpEnv(self):
        from math import pi

        robot = ATRV()
        robot.translate(x=-5.0)
        robot.rotate(z=pi)
        teleport = Teleport()
        robot.append(teleport)
        motion = MotionVW()
        robot.append(motion)

        sick = Sick()
        sick.translate(z=0.9)
        robot.append(sick)
        narrow = Sick()
        narrow.translate(z=0.9)
        narrow.properties(scan_window=90.0, resolution=5.0, laser_range=2.5, Visible_arc=True)
        narrow.create_laser_arc()
        robot.append(narrow)
        hokuyo = Hokuyo()
        hokuyo.translate(z=0.9)
        hokuyo.level('rssi')
        robot.append(hokuyo)
        layers = SickLDMRS()
        layers.translate(z=0.9)
        robot.append(layers)
        infra = Infrared()
        infra.translate(x=0.9, z=0.9)
        robot.append(infra)
        velodyne = VelodyneRayCast()
        velodyne.translate(z=1.5)
        robot.append(velodyne)

        near = Proximity()
        near.properties(Track='Catch_me', Range=2.5)
        robot.append(near)
        near_robots = Proximity()
        robot.append(near_robots)
        touch = Collision()
        touch.translate(x=0.43, z=0.3)
        touch.properties(only_objects_with_property='Object')
        robot.append(touch)

        semantic = SemanticCamera()
        semantic.translate(x=0.3, z=0.9)
        robot.append(semantic)
        relative = SemanticCamera()
        relative.translate(x=0.3, z=0.9)
        relative.properties(relative=True, noocclusion=True)
        robot.append(relative)
        hot = SemanticCamera()
        hot.translate(x=0.3, z=0.9)
        hot.properties(tag='Furniture')
        robot.append(hot)

        heat = Thermometer()
        robot.append(heat)
        battery = Battery()
        battery.properties(DischargingRate=5.0)
        robot.append(battery)
        search = SearchAndRescue()
        search.translate(x=0.4, z=0.5)
        search.properties(Heal_range=3.0, Abilities='1,3')
        robot.append(search)

        both = CompoundSensor([heat, battery])
        robot.append(both)

        prey = ATRV()
        prey.translate(x=-5.0, y=2.0)
        prey.properties(Catch_me=True)
        prey_pose = Pose()
        prey_pose.properties(Bait=7)
        prey.append(prey_pose)

        table = PassiveObject('props/objects', 'SmallTable')
        table.properties(Type='Furniture', Label='TABLE', Description='to eat at', Fire=150)
        table.translate(x=-9.5, y=2.0)

        patient = Victim()
        patient.translate(x=5.0, y=5.0)
        patient.properties(Severity=3, Requirements='3')
        patient.add_service('socket')

        zone = Zone(type='Charging')
        zone.size = [1.0, 1.0, 1.0]
        zone.translate(x=10.0, y=-10.0)

        robot.add_default_interface('socket')
        prey.add_default_interface('socket')

        env = Environment('indoors-1/boxes', fastmode=True)
        env.add_service('socket')

    def set_pose(self, morse, x, y, yaw, z=0.11):
        """Puts the robot somewhere, where it stays."""
        morse.activate('robot.teleport')
        morse.robot.teleport.publish({'x': x, 'y': y, 'z': z, 'yaw': yaw, 'pitch': 0.0, 'roll': 0.0})
        morse.sleep(0.5)

    def row_lasers_ahead(self, morse):
        self.set_pose(morse, -5.0, 0.0, pi)
        scan = morse.robot.sick.get()
        self.assertEqual(list(scan), ['timestamp', 'point_list', 'range_list'])
        self.assertEqual((len(scan['range_list']), len(scan['point_list'])), (181, 181))
        # The red box has its front 2 m ahead.
        self.assertAlmostEqual(scan['range_list'][90], 2.0, delta=0.1)
        self.assertVector(scan['point_list'][90], [2.0, 0.0, 0.0], 0.1)
        # The first ray goes to the right: north, when looking west. Another robot is there.
        self.assertAlmostEqual(scan['range_list'][0], 30.0, delta=30)
        self.assertLess(scan['range_list'][0], scan['range_list'][180])
        narrow = morse.robot.narrow.get()
        self.assertEqual(len(narrow['range_list']), 19)
        self.assertAlmostEqual(narrow['range_list'][9], 2.0, delta=0.1)
        # What is not hit has the greatest range, and the point 0.
        self.assertEqual(narrow['range_list'][0], 2.5)
        self.assertEqual(narrow['point_list'][0], [0.0, 0.0, 0.0])
        wide = morse.robot.hokuyo.get()
        self.assertEqual(len(wide['range_list']), 1081)
        self.assertEqual(len(wide['remission_list']), 1081)
        self.assertAlmostEqual(wide['range_list'][540], 2.0, delta=0.1)
        self.assertEqual(len(morse.robot.layers.get()['range_list']), 4 * 401)
        infra = morse.robot.infra.get()
        self.assertEqual(len(infra['range_list']), 21)
        self.assertAlmostEqual(min(infra['range_list']), 1.1, delta=0.1)
        self.assertEqual(len(morse.robot.velodyne.get()['range_list']), 64)

    def row_what_is_near(self, morse):
        self.set_pose(morse, -5.0, 0.0, pi)
        near = morse.robot.near.get()
        self.assertEqual(list(near['near_objects']), ['prey'])
        self.assertAlmostEqual(near['near_objects']['prey'], 2.0, delta=0.1)
        self.assertEqual(near['near_robots'], near['near_objects'])
        morse.robot.near.set_range(1.0).result()
        morse.sleep(0.3)
        self.assertEqual(morse.robot.near.get()['near_objects'], {})
        morse.robot.near.set_range(4.0).result()
        morse.robot.near.set_tracked_tag('Bait').result()
        morse.sleep(0.3)
        # A part of a robot has a property, too.
        self.assertEqual(len(morse.robot.near.get()['near_objects']), 1)
        morse.robot.near.set_tracked_tag('Object').result()
        morse.sleep(0.3)
        self.assertIn('RedBox', morse.robot.near.get()['near_objects'])
        self.assertEqual(set(morse.robot.near_robots.get()['near_objects']), {'prey', 'patient'})

    def row_touching(self, morse):
        self.set_pose(morse, -5.0, 0.0, pi)
        # What touches nothing says nothing.
        self.assertIsNone(morse.robot.touch.get(0.3))
        self.set_pose(morse, -6.45, 0.0, pi)
        touched = morse.robot.touch.get(5.0)
        self.assertEqual((touched['collision'], touched['objects']), (True, 'RedBox'))
        self.set_pose(morse, -5.0, 0.0, pi)
        morse.sleep(0.5)

    def row_what_is_seen(self, morse):
        self.set_pose(morse, -5.0, 0.0, pi)
        seen = {each['name']: each for each in morse.robot.semantic.get()['visible_objects']}
        self.assertIn('RedBox', seen)
        self.assertNotIn('BlueBox', seen)
        self.assertEqual(set(seen['RedBox']), {'name', 'type', 'description', 'position', 'orientation'})
        self.assertAlmostEqual(seen['RedBox']['position'][0], -7.5, delta=0.15)
        self.assertEqual(set(seen['RedBox']['orientation']), {'x', 'y', 'z', 'w'})
        near = {each['name']: each for each in morse.robot.relative.get()['visible_objects']}
        # The camera looks along its z axis, and stands 2.2 m before the middle of the box.
        self.assertAlmostEqual(near['RedBox']['position'][2], 2.2, delta=0.15)
        table = morse.robot.hot.get()['visible_objects']
        self.assertEqual([each['name'] for each in table], ['TABLE'])
        self.assertEqual((table[0]['type'], table[0]['description']), ('Furniture', 'to eat at'))

    def row_heat_and_charge(self, morse):
        self.set_pose(morse, -5.0, 0.0, pi)
        distance = (4.5 ** 2 + 2.0 ** 2) ** 0.5
        wanted = 15 + 150 * exp(-0.2 * distance)
        self.assertAlmostEqual(morse.robot.heat.get()['temperature'], wanted, delta=2)
        first = morse.robot.battery.get()
        morse.sleep(1.0)
        second = morse.robot.battery.get()
        self.assertEqual(second['status'], 'Discharging')
        lost = 5.0 * (second['timestamp'] - first['timestamp'])
        self.assertAlmostEqual(first['charge'] - second['charge'], lost, delta=0.2)
        self.set_pose(morse, 10.0, -10.0, 0.0)
        third = morse.robot.battery.get()
        morse.sleep(0.5)
        fourth = morse.robot.battery.get()
        self.assertIn(fourth['status'], ('Charging', 'Charged'))
        self.assertGreaterEqual(fourth['charge'], third['charge'])
        both = morse.robot.both.get()
        self.assertEqual(set(both), {'timestamp', 'robot.heat', 'robot.battery'})
        self.assertEqual(list(both['robot.heat']), ['timestamp', 'temperature'])
        self.assertLessEqual(both['robot.battery']['timestamp'], both['timestamp'])

    def row_rescue(self, morse):
        self.set_pose(morse, -5.0, 0.0, pi)
        self.assertEqual(morse.robot.search.get()['victim_dict'], {})
        self.assertEqual(morse.robot.search.get_robot_abilities().result(), [1, 3])
        with self.assertRaises(MorseServiceFailed):
            morse.robot.search.heal().result()
        self.set_pose(morse, 3.0, 5.0, 0.0)
        morse.sleep(1.0)
        victims = morse.robot.search.get()['victim_dict']
        self.assertEqual(list(victims), ['patient'])
        self.assertEqual((victims['patient']['severity'], victims['patient']['requirements']), (3, [3]))
        self.assertEqual(set(victims['patient']['coordinate']), {'x', 'y', 'z'})
        self.assertEqual(morse.robot.search.get_victim_severity().result(), 3)
        self.assertEqual(morse.robot.search.get_victim_requirements().result(), [3])
        morse.robot.search.heal().result()
        morse.sleep(0.5)
        # Nothing is left to do, which goes without a value.
        self.assertIsNone(morse.robot.search.get_victim_severity().result())


if __name__ == '__main__':
    from morse.core.morse_time import TimeStrategies
    from morse.testing.testing import main

    main(AroundTest, time_modes=[TimeStrategies.FixedSimulationStep])
    sys.exit()
