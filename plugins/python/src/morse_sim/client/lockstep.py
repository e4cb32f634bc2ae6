"""Ticks that wait for a client."""
from __future__ import annotations

import time
from types import TracebackType
from typing import TYPE_CHECKING, Optional, Type

from .errors import MorseServerError
from .wire import Line

if TYPE_CHECKING:
    from . import Morse


class Lockstep:
    """While it is open, simulated time only goes on by `step`.

    The simulation needs a sync port: `env.configure_stream_manager("socket", time_sync=True)`.
    """

    def __init__(self, morse: "Morse", line: Line, timeout: float):
        self._morse, self._line, self._timeout = morse, line, timeout
        self.time = self._settled()

    def _settled(self) -> float:
        """The time at which the simulation has stopped."""
        last = self._now()
        end = time.monotonic() + self._timeout
        while time.monotonic() < end:
            time.sleep(0.02)
            now = self._now()
            if now == last:
                return now
            last = now
        raise MorseServerError("the simulation does not wait for its sync port")

    def _now(self) -> float:
        return float(self._morse.rpc("time", "now", timeout=self._timeout) or 0.0)

    def step(self, ticks: int = 1) -> float:
        """Makes so many ticks; the simulated time after them, s."""
        for _ in range(ticks):
            self._line.send_bytes(b".")
            end = time.monotonic() + self._timeout
            before = self.time
            while self.time == before:
                if time.monotonic() > end:
                    raise TimeoutError(f"no tick within {self._timeout} s")
                self.time = self._now()
        return self.time

    def run(self, seconds: float) -> float:
        """Makes ticks until so much simulated time has passed."""
        goal = self.time + seconds
        while self.time < goal - 1e-9:
            self.step()
        return self.time

    def close(self) -> None:
        """Lets time go on by itself."""
        self._line.close()

    def __enter__(self) -> "Lockstep":
        return self

    def __exit__(
        self,
        kind: Optional[Type[BaseException]],
        error: Optional[BaseException],
        trace: Optional[TracebackType],
    ) -> None:
        self.close()
