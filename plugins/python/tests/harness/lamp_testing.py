"""In the style of MORSE's own tests: what cameras see by night. Run by test_harness."""
import base64
import sys

from morse.testing.testing import MorseTestCase
from pymorse import Morse
from rows import Rows

try:
    # Only there when MORSE itself runs the file.
    from morse.builder import *  # noqa: F401,F403
except ImportError:
    pass


class LampTest(Rows, MorseTestCase):
    def setUpEnv(self):
        from math import pi

        robot = FakeRobot()
        robot.translate(z=1.0)
        light = Light()
        robot.append(light)
        camera = VideoCamera()
        camera.properties(cam_width=32, cam_height=32)
        robot.append(camera)
        robot.add_default_interface('socket')

        # From where the lamp of the environment shines.
        south = FakeRobot()
        south.translate(x=2.0, y=-2.0, z=1.0)
        south.rotate(z=pi / 2)
        camera = VideoCamera()
        camera.properties(cam_width=32, cam_height=32)
        south.append(camera)
        south.add_default_interface('socket')

        block = PassiveObject('environments/indoors-1/boxes', 'GreenBox')
        block.translate(x=2.0, z=0.96)

        env = Environment('empty', fastmode=False)
        env.add_service('socket')

    def middle(self, camera, width=6):
        """The mean colour around the middle of a new picture."""
        picture = camera.get()
        pixels = base64.b64decode(picture['image'])
        size = picture['width']
        begin, end = (size - width) // 2, (size + width) // 2
        colors = [pixels[4 * (row * size + column):][:3] for row in range(begin, end) for column in range(begin, end)]
        return [sum(pixel[channel] for pixel in colors) / len(colors) for channel in range(3)]

    def picture(self, morse, robot, **of):
        """After what was asked for has been seen."""
        morse.sleep(0.3)
        return self.middle(robot.camera, **of)

    def row_the_block_is_bright_while_the_light_is_on(self, morse):
        robot = morse.robot
        red, green, blue = self.picture(morse, robot)
        self.assertGreater(green, 200)
        self.assertLess(max(red, blue), 60)
        robot.light.publish({'emit': False})
        self.assertLess(max(self.picture(morse, robot)), 5)
        robot.light.publish({'emit': True})
        self.assertGreater(self.picture(morse, robot)[1], 200)
        self.assertTrue(robot.light.toggle().result())
        self.assertLess(max(self.picture(morse, robot)), 5)
        self.assertTrue(robot.light.toggle(True).result())
        self.assertGreater(self.picture(morse, robot)[1], 200)

    def row_the_lamp_of_the_environment_shines_on_what_faces_it(self, morse):
        self.assertTrue(morse.robot.light.toggle().result())
        _, green, _ = self.picture(morse, morse.south)
        # 0.58 of its strength at that distance, of which 0.5 falls on a face that it shines on aslant.
        self.assertGreater(green, 100)
        self.assertLess(green, 200)
        # The side that no lamp reaches is black.
        self.assertLess(max(self.picture(morse, morse.robot)), 5)

    def row_a_block_that_is_put_elsewhere_is_not_seen(self, morse):
        self.assertTrue(morse.robot.light.toggle(True).result())
        self.assertGreater(self.picture(morse, morse.robot)[1], 200)
        self.assertIsNone(morse.rpc('simulation', 'set_object_position', 'block', [-10.0, 0.0, 0.96]))
        red, green, blue = self.picture(morse, morse.robot, width=2)
        # The floor far away, or what is behind everything: grey.
        self.assertLess(max(red, green, blue) - min(red, green, blue), 20)

    def test_a_light_that_begins_dark(self):
        with Morse() as morse:
            morse.robot.light.publish({'emit': False})
            self.assertLess(max(self.picture(morse, morse.robot)), 5)
            # A box of the hall rests 6 cm above the floor, as it was put.
            _, position, _ = morse.rpc('simulation', 'get_scene_objects')['block']
            self.assertVector(position, [2.0, 0.0, 0.96], 0.01)


if __name__ == '__main__':
    from morse.core.morse_time import TimeStrategies
    from morse.testing.testing import main

    main(LampTest, time_modes=[TimeStrategies.BestEffort, TimeStrategies.FixedSimulationStep])
    sys.exit()
