"""What the tests start ends with them."""
from __future__ import annotations

import os
import sys
import time
import unittest

from .support import Room, execute

#: Starts a process in a session of its own, as the launcher starts a simulator, and waits.
STARTS = """
import subprocess, sys, time
child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"], start_new_session=True)
print(child.pid, flush=True)
time.sleep(600)
"""


def runs(process: int) -> bool:
    try:
        with open(f"/proc/{process}/stat", encoding="utf-8") as stat:
            # Z: it has ended, and nobody has asked for its status yet.
            return stat.read().rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False


class Support(Room):
    @unittest.skipUnless(os.path.isdir("/proc/self"), "there is no /proc")
    def test_a_command_that_does_not_end_leaves_nothing_behind(self) -> None:
        with self.assertRaisesRegex(AssertionError, r"did not end within 3 s:\n\d+\n") as caught:
            execute([sys.executable, "-c", STARTS], 3)
        child = int(str(caught.exception).splitlines()[-1])
        for _ in range(100):
            if not runs(child):
                return
            time.sleep(0.05)
        self.fail("it is left behind")

    def test_what_ends_is_returned(self) -> None:
        ran = execute([sys.executable, "-c", "import sys; print('out'); print('err', file=sys.stderr); sys.exit(3)"])
        self.assertEqual((ran.returncode, ran.stdout, ran.stderr), (3, "out\n", "err\n"))
