"""In the style of MORSE's own tests: services of the simulation, of time, and of all components. Run by test_harness."""
import sys
from math import pi

from morse.testing.testing import MorseTestCase
from pymorse import Morse, MorseServiceFailed
from rows import Rows

try:
    # Only there when MORSE itself runs the file.
    from morse.builder import *  # noqa: F401,F403
except ImportError:
    pass


class AskingTest(Rows, MorseTestCase):
    def setUpEnv(self):
        dala = ATRV()
        motion = MotionVW()
        motion.properties(ControlType='Velocity')
        dala.append(motion)
        pose = Pose()
        pose.translate(0.1, 0.2, 0.3)
        pose.rotate(z=1.57079632679)
        dala.append(pose)
        mouth = Sound()
        dala.append(mouth)
        lamp = Light()
        lamp.properties(energy=5.0, distance=12.0, color='(1.0,0.5,0.0)', emit=False)
        dala.append(lamp)
        mark = Arucomarker()
        mark.properties(zoffset=0.3)
        dala.append(mark)
        keys = Keyboard()
        keys.properties(Speed=2.0)
        dala.append(keys)
        stick = Joystick()
        dala.append(stick)
        lase = Sick()
        lase.translate(z=0.9)
        lase.properties(scan_window=90.0)
        dala.append(lase)
        quiet = Pose()
        dala.append(quiet)
        dala.add_default_interface('socket')
        dala.properties(Colour='blue')

        mana = ATRV()
        mana.translate(y=6.0)
        camera = SemanticCamera()
        camera.frequency(4)
        camera.properties(cam_focal=50.0)
        mana.append(camera)
        heading = Orientation()
        heading.add_interface('socket')
        mana.append(heading)
        unheard = Gyroscope()
        mana.append(unheard)
        camera.add_interface('socket')

        cone = Cone('signpost')
        cone.translate(x=12.0)

        env = Environment('indoors-1/boxes', fastmode=True)
        env.add_service('socket')
        env.set_camera_location([10.0, -10.0, 3.0])
        env.set_camera_rotation([1.33, 0, 0.7854])
        env.set_camera_clip(0.1, 50)
        env.select_display_camera(camera)
        env.set_horizon_color()
        env.set_log_level('sensor.pose', 'DEBUG')

    def row_who_is_there(self, morse):
        self.assertEqual(set(morse.rpc('simulation', 'list_robots')), {'dala', 'mana'})
        self.assertEqual(set(morse.robots), {'dala', 'mana'})
        details = morse.rpc('simulation', 'details')
        self.assertEqual(details['environment'], 'indoors-1/boxes')
        robots = {robot['name']: robot for robot in details['robots']}
        components = robots['dala']['components']
        self.assertEqual(components['dala.pose']['stream_interfaces'][0][1], 'OUT')
        self.assertEqual(components['dala.motion']['stream_interfaces'][0][1], 'IN')
        self.assertIn('set_speed', components['dala.motion']['services'])
        self.assertIn('mana.unheard', robots['mana']['components'])
        self.assertIn('dala.pose', morse.streams())
        self.assertNotIn('mana.unheard', morse.streams())
        ports = morse.rpc('simulation', 'get_all_stream_ports')
        self.assertEqual(ports['dala.pose'], morse.get_stream_port('dala.pose'))
        with self.assertRaises(MorseServiceFailed):
            morse.get_stream_port('dala.nose')

    def row_objects_of_the_scene(self, morse):
        objects = morse.rpc('simulation', 'get_scene_objects')
        for name in ('RedBox', 'GreenBox', 'dala', 'mana'):
            self.assertIn(name, objects)
        children, position, turn = objects['RedBox']
        self.assertIsInstance(children, dict)
        self.assertVector(position, [-7.5, 0, 0.96], 0.1)
        self.assertEqual(len(turn), 4)
        self.assertIsNone(morse.rpc('simulation', 'set_object_position', 'GreenBox', [5.0, 1.0, 2.0]))
        morse.sleep(0.05)
        self.assertVector(morse.rpc('simulation', 'get_scene_objects')['GreenBox'][1][:2], [5, 1], 0.05)
        morse.rpc('simulation', 'set_object_position', 'BlueBox', [5.0, 5.0, 1.0], [0.0, 0.0, pi / 2])
        self.assertTrue(morse.rpc('simulation', 'set_object_visibility', 'RedBox', True, True))
        self.assertIsNone(morse.rpc('simulation', 'set_object_visibility', 'RedBox', False, True))
        self.assertIsNone(morse.rpc('simulation', 'set_object_dynamics', 'RedBox', False))
        self.assertTrue(morse.rpc('simulation', 'set_object_dynamics', 'RedBox', True))
        with self.assertRaises(MorseServiceFailed):
            morse.rpc('simulation', 'set_object_position', 'PurpleBox', [0, 0, 0])

    def row_physics_on_and_off(self, morse):
        self.assertEqual(morse.rpc('simulation', 'suspend_dynamics'), 'Physics is suspended')
        before = morse.dala.pose.get()
        morse.dala.motion.publish({'v': 1.0, 'w': 0.0})
        morse.sleep(0.3)
        self.assertAlmostEqual(morse.dala.pose.get()['x'], before['x'], delta=0.01)
        self.assertEqual(morse.rpc('simulation', 'restore_dynamics'), 'Physics is resumed')
        morse.sleep(0.5)
        self.assertGreater(morse.dala.pose.get()['x'], before['x'] + 0.2)
        morse.dala.motion.stop().result()
        morse.sleep(0.1)
        self.assertEqual(morse.reset(), 'Objects restored to initial position')
        morse.sleep(0.2)
        self.assertAlmostEqual(morse.dala.pose.get()['x'], 0.1, delta=0.05)

    def row_the_eye_of_who_watches(self, morse):
        self.assertEqual(morse.rpc('simulation', 'set_camarafp_far_clip', 20.0), 20.0)
        self.assertVector(morse.rpc('simulation', 'set_camarafp_position', [1.0, 2.0, 3.0]), [1, 2, 3], 1e-6)
        self.assertVector(morse.rpc('simulation', 'get_camarafp_position'), [1, 2, 3], 1e-6)
        transform = morse.rpc('simulation', 'get_camarafp_transform')
        self.assertEqual([len(row) for row in transform], [4, 4, 4, 4])
        projection = morse.rpc('simulation', 'get_camarafp_projection_matrix')
        self.assertEqual([len(row) for row in projection], [4, 4, 4, 4])

    def row_who_sees_whom(self, morse):
        distance, view = morse.rpc('communication', 'distance_and_view', 'dala', 'mana')
        self.assertAlmostEqual(distance, 6.0, delta=0.1)
        self.assertTrue(view)
        with self.assertRaises(MorseServiceFailed):
            morse.rpc('communication', 'distance_and_view', 'dala', 'nobody')

    def row_properties(self, morse):
        said = morse.dala.lamp.get_properties().result()['properties']
        self.assertEqual(len(said['energy']), 4)
        self.assertEqual(said['energy'][0], 5.0)
        self.assertIsNone(morse.dala.motion.set_property('ControlType', 'Position').result())
        configured = morse.dala.motion.get_configurations().result()['configurations']
        self.assertEqual(configured['ControlType'], 'Position')
        self.assertIsNone(morse.dala.motion.set_property('ControlType', 'Velocity').result())
        # What is told is taken, also what has no end.
        for component in (morse.dala.motion, morse.dala.lamp, morse.mana.heading, morse.mana.camera, morse.dala.lase):
            for name, (value, _type, _docs, _own) in component.get_properties().result()['properties'].items():
                self.assertIsNone(component.set_property(name, value).result(), name)
        camera = morse.mana.camera.get_properties().result()['properties']
        self.assertEqual((camera['cam_focal'][0], camera['cam_focal'][1]), (50.0, 'float'))
        self.assertEqual(morse.dala.lase.get_properties().result()['properties']['scan_window'][0], 90.0)
        self.assertIsNone(morse.dala.lase.set_property('scan_window', 10.0).result())
        morse.sleep(0.3)
        self.assertEqual(len(morse.dala.lase.get_local_data().result()['range_list']), 11)
        self.assertEqual(morse.mana.heading.get_properties().result()['properties']['speed'][0], float('inf'))
        with self.assertRaises(MorseServiceFailed):
            morse.dala.motion.set_property('Courage', 1).result()
        offset = morse.dala.pose.get_configurations().result()['configurations']['object_to_robot']
        self.assertVector(offset['translation'], [0.1, 0.2, 0.3], 0.001)
        self.assertVector(offset['rotation'][0], [0, -1, 0], 0.001)
        self.assertEqual(set(morse.dala.pose.get_local_data().result()), {'timestamp', 'x', 'y', 'z', 'yaw', 'pitch', 'roll'})

    def row_wrong_requests(self, morse):
        with self.assertRaises(TypeError):
            morse.dala.motion.set_speed(1.0).result()
        with self.assertRaises(TypeError):
            morse.dala.motion.stop(1, 2, 3).result()
        with self.assertRaises(MorseServiceFailed):
            morse.rpc('dala.motion', 'fly')
        with self.assertRaises(MorseServiceFailed):
            morse.rpc('dala.wings', 'flap')
        with self.assertRaises(MorseServiceFailed):
            morse.activate('dala.wings')
        with self.assertRaises(MorseServiceFailed):
            morse.rpc('simulation', 'set_log_level', 'sensor.pose', 'LOUDER')
        self.assertIsNone(morse.rpc('simulation', 'set_log_level', 'sensor.pose', 'INFO'))

    def row_on_and_off(self, morse):
        morse.deactivate('dala.pose')
        morse.sleep(0.2)
        self.assertIsNone(morse.dala.pose.get(0.3))
        morse.activate('dala.pose')
        self.assertIsNotNone(morse.dala.pose.get(5.0))
        times = []
        for _ in range(3):
            times.append(morse.mana.camera.get()['timestamp'])
        self.assertAlmostEqual(times[2] - times[1], 0.25, delta=0.05)

    def row_subscribing(self, morse):
        heard = []
        morse.dala.pose.subscribe(heard.append)
        morse.sleep(0.5)
        morse.dala.pose.unsubscribe(heard.append)
        self.assertAlmostEqual(len(heard), 30, delta=8)
        self.assertEqual(list(heard[0]), ['timestamp', 'x', 'y', 'z', 'yaw', 'pitch', 'roll'])

    def row_lamps_marks_and_sounds(self, morse):
        morse.dala.lamp.publish({'emit': True})
        morse.sleep(0.1)
        self.assertTrue(morse.dala.lamp.toggle(True).result())
        self.assertTrue(morse.dala.lamp.toggle().result())
        morse.dala.mouth.publish({'mode': 'play'})
        morse.dala.mouth.publish({'mode': 'stop'})
        morse.dala.mark.publish({'x': 1.0, 'y': 0.0, 'z': 0.0, 'roll': 0.0, 'pitch': 0.0, 'yaw': 0.0})
        morse.sleep(0.1)
        self.assertEqual(len(morse.dala.mark.get_world_position().result()), 3)
        self.assertEqual(len(morse.dala.mark.get_local_position().result()), 3)

    def row_two_clients(self, morse):
        with_other = Morse()
        try:
            one = morse.dala.motion.set_speed(0.0, 0.0)
            two = with_other.dala.motion.set_speed(0.0, 0.0)
            self.assertIsNone(one.result())
            self.assertIsNone(two.result())
            self.assertIsNotNone(with_other.dala.pose.get(5.0))
            self.assertIsNotNone(morse.dala.pose.get(5.0))
        finally:
            # MORSE's own client closes everything of the process with the first: the last closes it.
            self.second = with_other


if __name__ == '__main__':
    from morse.core.morse_time import TimeStrategies
    from morse.testing.testing import main

    main(AskingTest, time_modes=[TimeStrategies.BestEffort])
    sys.exit()
