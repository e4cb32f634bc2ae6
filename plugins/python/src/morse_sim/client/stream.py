"""Streams: readings of sensors, and commands for actuators."""
from __future__ import annotations

import json
import threading
from collections import deque
from typing import Any, Callable, Deque, List, Optional

from .errors import MorseServerError
from .wire import Line, decode


class Stream:
    """The stream of one component."""

    def __init__(self, line: Line, kept: int = 100):
        self._line = line
        self._news = threading.Condition()
        self._records: Deque[bytes] = deque(maxlen=kept)
        self._count = 0
        self._listeners: List[Callable[[Any], None]] = []
        line.listen(self._heard, self._ended)

    @property
    def is_up(self) -> bool:
        return self._line.is_up

    def _heard(self, line: bytes) -> None:
        with self._news:
            self._records.append(line)
            self._count += 1
            self._news.notify_all()
            listeners = list(self._listeners)
        for listener in listeners:
            listener(decode(line))

    def _ended(self) -> None:
        with self._news:
            self._news.notify_all()

    def get(self, timeout: Optional[float] = None) -> Any:
        """The next record; None after so many seconds, MorseServerError when there will be none."""
        with self._news:
            seen = self._count
            self._news.wait_for(lambda: self._count != seen or not self._line.is_up, timeout)
            if self._count != seen:
                return decode(self._records[-1])
        if not self._line.is_up:
            raise MorseServerError("the simulation ended: there are no more readings")
        return None

    def last(self, n: Optional[int] = None) -> Any:
        """The newest record, or None; or a list of the n newest, oldest first."""
        with self._news:
            records = list(self._records)
        if n is None:
            return decode(records[-1]) if records else None
        return [decode(record) for record in records[-n:]] if n > 0 else []

    def subscribe(self, callback: Callable[[Any], None]) -> None:
        """Calls for each record to come, from another thread."""
        with self._news:
            self._listeners.append(callback)

    def unsubscribe(self, callback: Callable[[Any], None]) -> None:
        with self._news:
            self._listeners.remove(callback)

    def publish(self, command: Any) -> None:
        """Sends a command: fields that are left out keep their values."""
        self._line.send(json.dumps(command))

    def close(self) -> None:
        self._line.close()
