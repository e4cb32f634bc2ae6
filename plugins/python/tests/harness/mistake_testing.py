"""In the style of MORSE's own tests: a script that is wrong. Run by test_harness."""
import sys

from morse.testing.testing import MorseBuilderFailureTestCase

try:
    # Only there when MORSE itself runs the file.
    from morse.builder import *  # noqa: F401,F403
except ImportError:
    pass


class MistakeTest(MorseBuilderFailureTestCase):
    def setUpEnv(self):
        robot = ATRV()
        keyboard = Keyboard()
        robot.append(keyboard)
        # This is no component that has data.
        keyboard.add_stream('socket')

        env = Environment('empty', fastmode=True)

    def test_it_does_not_start(self):
        self.assertIsNotNone(self.morse_process.wait(20))


if __name__ == '__main__':
    from morse.testing.testing import main

    main(MistakeTest)
    sys.exit()
