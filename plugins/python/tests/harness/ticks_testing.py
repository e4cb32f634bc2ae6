"""In the style of MORSE's own tests: what happens in which tick, in both of its ways to pass time. Run by test_harness."""
import os
import signal
import sys
from time import sleep, time

from morse.testing.testing import MorseTestCase
from pymorse import Morse

try:
    # Only there when MORSE itself runs the file.
    from morse.builder import *  # noqa: F401,F403
except ImportError:
    pass

RATE = 60.0

MODES = []
"""What the simulations said of themselves: the harness asks for one way after the other."""


def ticks(one, other):
    """Ticks from one reading to another."""
    return round((other['timestamp'] - one['timestamp']) * RATE)


class TicksTest(MorseTestCase):
    def setUpEnv(self):
        rover = ATRV()
        motion = MotionVW()
        motion.add_stream('socket')
        motion.add_service('socket')
        rover.append(motion)
        # By name it comes first: that it was created later is what counts.
        another = MotionVW()
        another.add_service('socket')
        rover.append(another)
        pose = Pose()
        pose.add_stream('socket')
        rover.append(pose)
        acceleration = Accelerometer()
        acceleration.add_stream('socket')
        rover.append(acceleration)

        kite = ATRV()
        kite.translate(x=3.0, y=8.0, z=4.0)
        teleport = Teleport()
        teleport.add_stream('socket')
        kite.append(teleport)
        teleport_ned = Teleport()
        teleport_ned.alter('NED')
        teleport_ned.add_stream('socket')
        kite.append(teleport_ned)
        pose = Pose()
        pose.add_stream('socket')
        kite.append(pose)

        walker = ATRV()
        walker.translate(y=-8.0)
        waypoint = Waypoint()
        waypoint.properties(ObstacleAvoidance=False)
        waypoint.add_service('socket')
        walker.append(waypoint)
        pose = Pose()
        pose.add_stream('socket')
        walker.append(pose)

        env = Environment('empty', fastmode=True)
        env.add_service('socket')

    def assertTicks(self, wanted, measure):
        """One that is true each time is found at once; a client that is kept waiting by its machine may have to look
        again."""
        measured = []
        while len(measured) < 6 and wanted not in measured:
            measured.append(measure())
        self.assertIn(wanted, measured)

    def test_requests_and_sleeps_take_whole_ticks(self):
        with Morse() as morse:
            pose = morse.rover.pose
            pose.get()

            def after(wait):
                before = pose.get()
                wait()
                return ticks(before, pose.get())

            # A request is heard in the next tick, and answered after its data.
            self.assertTicks(1, lambda: after(lambda: None))
            self.assertTicks(2, lambda: after(morse.time))
            self.assertTicks(3, lambda: after(lambda: (morse.time(), morse.time())))
            self.assertTicks(0, lambda: round(morse.time() * RATE - pose.last()['timestamp'] * RATE))
            # A sleep counts from there, to the nearest tick.
            for seconds, wanted in ((1.0, 62), (0.1, 8), (0.024, 3), (0.026, 4)):
                self.assertTicks(wanted, lambda: after(lambda: morse.sleep(seconds)))

    def test_a_start_is_one_reading(self):
        with Morse() as morse:
            pose, acceleration, many = morse.rover.pose, morse.rover.acceleration, []
            pose.get()
            acceleration.subscribe(many.append)

            def until_it_moves():
                before = pose.get()
                x = before['x']
                morse.rover.motion.publish({'v': 1.0, 'w': 0.0})
                now = pose.get()
                while now['x'] - x < 0.01:
                    now = pose.get()
                morse.rover.motion.publish({'v': 0.0, 'w': 0.0})
                morse.sleep(0.2)
                return ticks(before, now)

            # Who connects is heard from the tick after the next one on; the motion is seen in the tick after that.
            self.assertGreaterEqual(until_it_moves(), 3)
            self.assertTicks(2, until_it_moves)
            acceleration.unsubscribe(many.append)
            # From 0 to 1 m/s less what friction takes in a tick: (1 - 0.25 g / 60) * 60.
            ahead = [each['acceleration'][0] for each in many]
            starts = [each for each in ahead if each > 5.0]
            self.assertGreaterEqual(len(starts), 2)
            for each in starts:
                self.assertAlmostEqual(each, 57.5, delta=0.5)
            # No reading is missing, and each is a tick after the one before.
            steps = [ticks(one, other) for one, other in zip(many, many[1:])]
            self.assertEqual(set(steps), {1})

    def test_the_first_one_created_drives(self):
        with Morse() as morse:
            rover, pose = morse.rover, morse.rover.pose

            def way():
                before = pose.get()['x']
                morse.sleep(0.4)
                return pose.get()['x'] - before

            # The other one was never told anything, and so drives nothing.
            rover.another.set_speed(-1.0, 0.0).result()
            self.assertLess(way(), -0.3)
            rover.motion.set_speed(1.0, 0.0).result()
            self.assertGreater(way(), 0.3)
            rover.another.set_speed(-1.0, 0.0).result()
            self.assertGreater(way(), 0.3)
            morse.deactivate('rover.motion')
            self.assertLess(way(), -0.3)
            morse.activate('rover.motion')
            self.assertGreater(way(), 0.3)

    def test_teleports_are_used_in_turn(self):
        with Morse() as morse:
            kite = morse.kite

            def assertAt(x, y, z):
                now = kite.pose.get()
                for name, wanted in (('x', x), ('y', y), ('z', z)):
                    self.assertAlmostEqual(now[name], wanted, delta=1e-3, msg=str(now))

            target = {'x': 1.0, 'y': 9.0, 'z': 6.0, 'yaw': 0.0, 'pitch': 0.0, 'roll': 0.0}
            kite.teleport.publish(target)
            morse.sleep(0.1)
            assertAt(1.0, 9.0, 6.0)

            def until_it_is_there():
                target['x'] += 1.0
                before = kite.pose.get()
                kite.teleport.publish(target)
                now = kite.pose.get()
                while now['x'] < target['x'] - 0.5:
                    now = kite.pose.get()
                return ticks(before, now)

            # Heard, done and seen in the next tick.
            self.assertTicks(1, until_it_is_there)
            # While the first one acts it has its way.
            kite.teleport_ned.publish({'x': 8.0, 'y': 2.0, 'z': -3.0, 'yaw': 0.0, 'pitch': 0.0, 'roll': 0.0})
            morse.sleep(0.1)
            assertAt(target['x'], 9.0, 6.0)
            morse.deactivate('kite.teleport')
            morse.sleep(0.1)
            assertAt(2.0, 8.0, 3.0)
            # With nobody to hold it, it falls.
            morse.deactivate('kite.teleport_ned')
            before = kite.pose.get()
            morse.sleep(0.4)
            after = kite.pose.get()
            fallen, seconds = before['z'] - after['z'], ticks(before, after) / RATE
            self.assertGreater(fallen, 0.5 * 9.81 * (seconds - 2 / RATE) ** 2)
            self.assertLess(fallen, 0.5 * 9.81 * (seconds + 2 / RATE) ** 2 + 0.1)

    def test_a_waypoint_is_stopped_and_resumed(self):
        with Morse() as morse:
            waypoint, pose = morse.walker.waypoint, morse.walker.pose
            going = waypoint.goto(2.5, -8.0, 0.0, 0.3, 1.0)
            morse.sleep(1.0)
            self.assertEqual(waypoint.get_status(), 'Transit')
            self.assertEqual(waypoint.stop().result(), 'Stop')
            before = pose.get()
            morse.sleep(0.4)
            after = pose.get()
            # Nothing is commanded: friction brings 0.96 m/s to rest in v²/2µg, a little less for damping.
            self.assertAlmostEqual(after['x'] - before['x'], 0.18, delta=0.02)
            self.assertEqual(waypoint.get_status(), 'Stop')
            self.assertTrue(going.running())
            morse.sleep(0.1)
            self.assertAlmostEqual(pose.get()['x'], after['x'], delta=0.005)
            self.assertEqual(waypoint.resume().result(), 'Transit')
            before = pose.get()
            morse.sleep(0.5)
            after = pose.get()
            speed = (after['x'] - before['x']) / ticks(before, after) * RATE
            self.assertAlmostEqual(speed, 0.96, delta=0.05)
            self.assertEqual(going.result(), 'Arrived')
            self.assertEqual(waypoint.get_status(), 'Arrived')

    def test_a_delay_is_caught_up_with_or_not(self):
        with Morse() as morse:
            MODES.append(morse.rpc('time', 'mode'))
            self.assertEqual(MODES, ['Best Effort', 'Fixed Simulation Step'][:len(MODES)])
            is_fixed = len(MODES) == 2
            statistics = morse.rpc('time', 'statistics')
            self.assertEqual('diff_real_time' in statistics, is_fixed)
            self.assertEqual('mean_frame_by_sec' in statistics, not is_fixed)
            stamps = []
            morse.rover.pose.subscribe(stamps.append)
            before, real = morse.time(), time()
            # The machine has something else to do.
            os.kill(self.pid, signal.SIGSTOP)
            sleep(1.0)
            os.kill(self.pid, signal.SIGCONT)
            morse.sleep(1.5)
            missing = (time() - real) - (morse.time() - before)
            morse.rover.pose.unsubscribe(stamps.append)
            if is_fixed:
                self.assertGreater(missing, 0.8)
                self.assertLess(morse.rpc('time', 'statistics')['diff_real_time'], -0.8)
            else:
                self.assertLess(missing, 0.5)
            self.assertEqual({ticks(one, other) for one, other in zip(stamps, stamps[1:])}, {1})


if __name__ == '__main__':
    from morse.testing.testing import main

    main(TicksTest)
    sys.exit()
