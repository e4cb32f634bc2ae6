"""In the style of MORSE's own tests: cameras, and what they send over sockets. Run by test_harness."""
import base64
import struct
import sys
from math import pi

from morse.testing.testing import MorseTestCase
from pymorse import MorseServiceFailed, MorseServicePreempted
from rows import Rows

try:
    # Only there when MORSE itself runs the file.
    from morse.builder import *  # noqa: F401,F403
except ImportError:
    pass

SIZE = 64
FOCAL = SIZE * 35 / 32
"""Of MORSE's lens of 35 mm before its chip of 32 mm, in pixels."""
FRONT = 3.5
"""From the cameras to the front of the red box, which is 1 m wide and 1.8 m high."""
BOTTOM, TOP = 0.06, 1.86
"""Of that box, which rests on a margin."""
HEIGHT = 1.0
"""Of the cameras above the floor."""


def pixels(record, field="image"):
    """Red, green, blue and alpha of each pixel, row by row."""
    data = base64.b64decode(record[field])
    assert len(data) == record["width"] * record["height"] * 4, len(data)
    return list(struct.iter_unpack("4B", data))


def floats(record, field):
    data = base64.b64decode(record[field])
    return [number for (number,) in struct.iter_unpack("<f", data)]


def points(record):
    """x to the right, y down, z ahead."""
    return list(struct.iter_unpack("<3f", base64.b64decode(record["points"])))


def red(record):
    """Columns and rows of what is red."""
    width = record["width"]
    seen = enumerate(pixels(record))
    return [(at % width, at // width) for at, (r, g, b, _a) in seen if r > 60 and r > 2 * g and r > 2 * b]


def middle(values):
    return sum(values) / len(values)


class CamerasTest(Rows, MorseTestCase):
    def setUpEnv(self):
        from math import pi

        robot = ATRV()
        robot.translate(x=-3.0)
        robot.rotate(z=pi)

        def ahead(camera, hertz=4, **properties):
            """A small one that looks at the red box."""
            camera.translate(x=0.5, z=0.9)
            camera.properties(cam_width=64, cam_height=64, **properties)
            camera.frequency(hertz)

        video = VideoCamera()
        ahead(video)
        robot.append(video)
        grey = VideoCamera()
        ahead(grey)
        grey.add_stream('socket', 'morse.middleware.sockets.video_camera.Video8uPublisher')
        robot.append(grey)
        asleep = VideoCamera()
        ahead(asleep, capturing=False, Vertical_Flip=False)
        robot.append(asleep)
        turned = VideoCamera()
        ahead(turned)
        # By a quarter to the left, as seen from above.
        turned.rotate(x=pi / 2)
        robot.append(turned)

        depth = DepthCamera()
        ahead(depth)
        robot.append(depth)
        lines = DepthCamera()
        ahead(lines, keep_list='[1, 40, 64]', keep_resolution=True)
        robot.append(lines)
        metres = DepthCamera()
        ahead(metres, classpath='morse.sensors.depth_camera.DepthVideoCamera')
        robot.append(metres)
        raw = RawImage()
        ahead(raw)
        robot.append(raw)
        spinning = Velodyne()
        ahead(spinning, rotation=pi / 2)
        robot.append(spinning)
        merged = VLP16_180()
        merged.translate(x=0.5, z=0.9)
        merged.properties(cam_width=64, cam_height=64, keep_list='[32]')
        merged.frequency(2)
        robot.append(merged)

        objects = SemanticCamera()
        ahead(objects)
        robot.append(objects)

        class Segmentation(SensorCreator):
            """A kind that MORSE does not have."""

            _kind = 'segmentation_camera'

        classes = Segmentation()
        classes.translate(x=0.5, z=0.9)
        classes.properties(width=64, height=64)
        classes.frequency(4)
        robot.append(classes)

        stereo = StereoUnit()
        stereo.translate(x=0.5, z=0.9)
        robot.append(stereo)
        left = VideoCamera()
        left.translate(y=0.1)
        left.properties(cam_width=64, cam_height=64)
        left.frequency(4)
        stereo.append(left)
        right = VideoCamera()
        right.translate(y=-0.1)
        right.properties(cam_width=64, cam_height=64)
        right.frequency(2)
        stereo.append(right)

        kinect = Kinect('kinect')
        kinect.translate(x=0.44, z=0.86)
        kinect.frequency(2)
        robot.append(kinect)

        robot.add_default_interface('socket')

        env = Environment('indoors-1/boxes')
        env.add_service('socket')

    def row_images(self, morse):
        image = morse.robot.video.get()
        for field in ('timestamp', 'height', 'width', 'image', 'intrinsic_matrix'):
            self.assertIn(field, image)
        self.assertEqual((image['width'], image['height']), (SIZE, SIZE))
        self.assertEqual(image['intrinsic_matrix'], [[FOCAL, 0, SIZE / 2], [0, FOCAL, SIZE / 2], [0, 0, 1]])
        self.assertEqual({alpha for _r, _g, _b, alpha in pixels(image)}, {255})
        box = red(image)
        columns, rows = zip(*box)
        # As far to both sides; the floor is lower than the top of the box is high.
        self.assertAlmostEqual(min(columns), SIZE / 2 - 0.5 / FRONT * FOCAL, delta=1.5)
        self.assertAlmostEqual(max(columns), SIZE / 2 + 0.5 / FRONT * FOCAL, delta=1.5)
        self.assertAlmostEqual(min(rows), SIZE / 2 - (TOP - HEIGHT) / FRONT * FOCAL, delta=1.5)
        self.assertAlmostEqual(max(rows), SIZE / 2 + (HEIGHT - BOTTOM) / FRONT * FOCAL, delta=1.5)
        self.assertAlmostEqual(len(box), 1.0 * 1.8 * (FOCAL / FRONT) ** 2, delta=60)

    def row_grey_images(self, morse):
        image = morse.robot.grey.get()
        data = base64.b64decode(image['image'])
        colors = pixels(morse.robot.video.get())
        self.assertEqual(len(data), SIZE * SIZE)
        for value, (r, g, b, _a) in zip(data, colors):
            self.assertAlmostEqual(value, int(0.2126 * r + 0.7152 * g + 0.0722 * b), delta=2)

    def row_turned_about_z(self, morse):
        image = morse.robot.turned.get()
        # The robot looks west, so this one looks south, where the blue box is, ahead and a little to the left.
        seen = enumerate(pixels(image))
        blue = [at % SIZE for at, (r, g, b, _a) in seen if b > 60 and b > 2 * r and b > 1.5 * g]
        self.assertEqual(red(image), [])
        self.assertAlmostEqual(middle(blue), SIZE / 2, delta=2)

    def row_asleep_until_it_is_woken(self, morse):
        self.assertIsNone(morse.robot.asleep.get(0.5))
        self.assertIsNone(morse.robot.asleep.set_property('capturing', True).result())
        image = morse.robot.asleep.get(20)
        # The lowest row comes first: what is seen of the box above the middle is less than below.
        _columns, rows = zip(*red(image))
        self.assertAlmostEqual(max(rows), SIZE / 2 + (TOP - HEIGHT) / FRONT * FOCAL, delta=1.5)
        self.assertIsNone(morse.robot.asleep.set_property('capturing', False).result())

    def row_frames_on_request(self, morse):
        camera = morse.robot.stereo.left
        self.assertIsNone(camera.capture(1).result())
        self.heard(camera)
        self.assertIsNone(camera.get(0.5))
        asked = camera.capture(3)
        times = [camera.get(20)['timestamp'] for _ in range(3)]
        self.assertIsNone(asked.result())
        self.assertAlmostEqual(times[2] - times[0], 0.5, delta=0.01)
        self.assertIsNone(camera.get(0.5))
        # Without end, until it is cancelled; nobody else is let in meanwhile.
        asked = camera.capture(-1)
        # pymorse sends from threads: the first picture tells that the request has come.
        self.assertIsNotNone(camera.get(20))
        with self.assertRaises(MorseServiceFailed):
            camera.capture(1).result()
        asked.cancel()
        with self.assertRaises(MorseServicePreempted):
            asked.result()
        self.heard(camera)
        self.assertIsNone(camera.get(0.5))

    def heard(self, camera):
        """Takes what is still under way."""
        while camera.get(0.5) is not None:
            pass

    def row_two_eyes(self, morse):
        left, right = morse.robot.stereo.left, morse.robot.stereo.right
        asked = morse.robot.stereo.capture(2)
        one, other = left.get(20), right.get(20)
        self.assertIsNone(asked.result())
        for camera in (left, right):
            self.heard(camera)
        # The left one sees the box farther to the right.
        apart = [middle([column for column, _row in red(image)]) for image in (one, other)]
        self.assertAlmostEqual(apart[0] - apart[1], 0.2 / FRONT * FOCAL, delta=0.6)
        before = [camera.last()['timestamp'] for camera in (left, right)]
        self.assertIsNone(morse.robot.stereo.capture(1).result())
        # `get` would miss the second picture if it came while the first one was taken.
        for camera in (left, right):
            self.heard(camera)
        after = [camera.last()['timestamp'] for camera in (left, right)]
        self.assertTrue(all(new > old for new, old in zip(after, before)), (before, after))
        self.assertIsNone(left.get(0.7))

    def row_points(self, morse):
        cloud = morse.robot.depth.get()
        for field in ('timestamp', 'height', 'width', 'points', 'intrinsic_matrix'):
            self.assertIn(field, cloud)
        shown = points(cloud)
        self.assertEqual(len(shown), cloud['nb_points'])
        # What shows nothing within 20 m gives no point.
        self.assertLess(len(shown), SIZE * SIZE)
        self.assertLess(max(z for _x, _y, z in shown), 20.0)
        floor = [y for _x, y, z in shown if z < FRONT - 0.5]
        self.assertAlmostEqual(middle(floor), HEIGHT, delta=0.03)
        front = [(x, y) for x, y, z in shown if abs(z - FRONT) < 0.03 and y < HEIGHT - 0.05 and abs(x) < 0.6]
        self.assertAlmostEqual(min(x for x, _y in front), -0.5, delta=0.06)
        self.assertAlmostEqual(max(x for x, _y in front), 0.5, delta=0.06)
        self.assertAlmostEqual(min(y for _x, y in front), HEIGHT - TOP, delta=0.1)

    def row_points_of_some_lines(self, morse):
        cloud = morse.robot.lines.get()
        shown = points(cloud)
        self.assertEqual((len(shown), cloud['nb_points']), (3 * SIZE, 3 * SIZE))
        lowest, higher, highest = shown[:SIZE], shown[SIZE:2 * SIZE], shown[2 * SIZE:]
        self.assertTrue(all(abs(y - HEIGHT) < 0.03 for _x, y, _z in lowest))
        self.assertAlmostEqual(higher[SIZE // 2][2], FRONT, delta=0.05)
        # The sky, and the room of its points.
        self.assertEqual(set(highest), {(0.0, 0.0, 0.0)})

    def row_depths(self, morse):
        image = morse.robot.metres.get()
        depths = floats(image, 'image')
        self.assertEqual(len(depths), SIZE * SIZE)
        self.assertAlmostEqual(depths[SIZE * SIZE // 2 + SIZE // 2], FRONT, delta=0.05)
        # The lowest row comes first, and what is farther than the camera sees is as far as that.
        self.assertAlmostEqual(depths[SIZE // 2], HEIGHT / ((SIZE / 2 - 0.5) / FOCAL), delta=0.1)
        self.assertEqual(depths[-1], 20.0)

    def row_depths_as_the_renderer_has_them(self, morse):
        depths = floats(morse.robot.raw.get(), 'image')
        near, far = 0.1, 100.0
        wanted = (1 / near - 1 / FRONT) / (1 / near - 1 / far)
        self.assertAlmostEqual(depths[SIZE * SIZE // 2 + SIZE // 2], wanted, delta=0.001)
        self.assertEqual(depths[0], 1.0)

    def row_a_camera_that_turns(self, morse):
        ahead = []
        for _ in range(8):
            cloud = points(morse.robot.spinning.get(20))
            # Along its view, in the axes of the camera as it is mounted.
            x, z = (middle([point[axis] for point in cloud]) for axis in (0, 2))
            ahead.append(max((z, 'west'), (-z, 'east'), (x, 'north'), (-x, 'south'))[1])
        # To the left: seen from above against the clock.
        first = ahead.index('west')
        turn = ['west', 'south', 'east', 'north']
        self.assertEqual(ahead[first:first + 4], turn)
        self.assertEqual(ahead[:4], ahead[4:])
        self.assertIsNone(morse.robot.spinning.capture(2).result())

    def row_three_in_one(self, morse):
        cloud = points(morse.robot.merged.get(20))
        self.assertEqual(len(cloud), 3 * SIZE)
        # Where nothing is seen, too, there is a point: the origin.
        shown = [point for point in cloud if point != (0.0, 0.0, 0.0)]
        bearings = [x / z for x, _y, z in shown if z > 0.1]
        # Box, walls and the other boxes are seen over half a circle.
        self.assertLess(min(bearings), -1.5)
        self.assertGreater(max(bearings), 1.5)
        self.assertAlmostEqual(min(z for x, _y, z in shown if abs(x) < 0.4), FRONT, delta=0.05)
        self.assertIsNone(morse.robot.merged.capture(1).result())

    def row_names_of_what_is_seen(self, morse):
        seen = {each['name']: each for each in morse.robot.objects.get()['visible_objects']}
        self.assertEqual(set(seen), {'RedBox'})
        self.assertVector(seen['RedBox']['position'], [-7.5, 0.0, 0.9], 0.1)
        # A wider lens sees the others, too.
        self.assertIsNone(morse.robot.objects.set_property('cam_fov', 150.0).result())
        morse.sleep(0.6)
        seen = {each['name'] for each in morse.robot.objects.get()['visible_objects']}
        self.assertEqual(seen, {'RedBox', 'GreenBox'})

    def row_numbers_of_what_is_seen(self, morse):
        image = morse.robot.classes.get()
        data = base64.b64decode(image['instances'])
        numbers = [number for (number,) in struct.iter_unpack('<H', data)]
        self.assertEqual(len(numbers), SIZE * SIZE)
        box = image['instance_names'].index('RedBox') + 1
        ground = image['instance_names'].index('ground') + 1
        self.assertEqual(numbers[SIZE * SIZE // 2 + SIZE // 2], box)
        self.assertEqual(numbers[-1], ground)
        self.assertEqual(numbers[0], 0)
        self.assertAlmostEqual(numbers.count(box), 1.0 * 1.8 * (FOCAL / FRONT) ** 2, delta=60)

    def row_kinect(self, morse):
        image, depths = morse.robot.kinect.rgb.get(20), morse.robot.kinect.depth.get(20)
        self.assertEqual((image['width'], depths['height']), (128, 128))
        columns, _rows = zip(*red(image))
        # It sits 8 cm to the left of the middle, and the other one as far to the right.
        focal = 128 * 35 / 32
        self.assertAlmostEqual(middle(columns), 64 + 0.08 / FRONT * focal, delta=0.7)
        numbers = floats(depths, 'image')
        box = [at % 128 for at, depth in enumerate(numbers) if abs(depth - FRONT) < 0.03 and at // 128 < 64]
        self.assertAlmostEqual(middle(box), 64 - 0.08 / FRONT * focal, delta=0.7)


if __name__ == '__main__':
    from morse.core.morse_time import TimeStrategies
    from morse.testing.testing import main

    main(CamerasTest, time_modes=[TimeStrategies.FixedSimulationStep])
    sys.exit()
