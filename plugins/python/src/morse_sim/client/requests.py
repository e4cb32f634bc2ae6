"""Requests, their replies, and futures of these."""
from __future__ import annotations

import json
import threading
from concurrent.futures import Future as Promise
from concurrent.futures import TimeoutError as PromiseTimeout
from typing import Any, Callable, Dict, Optional, Tuple

from .errors import (
    MorseServerError,
    MorseServiceError,
    MorseServiceFailed,
    MorseServicePreempted,
)
from .wire import Line


def parse(line: bytes) -> Tuple[str, str, Any]:
    """Id, status and value of a reply; a value that is left out is None."""
    words = line.decode("utf-8", "replace").strip("\r").split(" ", 2)
    if len(words) < 2:
        raise MorseServiceError(f"a reply without a status: {line!r}")
    value = json.loads(words[2]) if len(words) == 3 and words[2] else None
    return words[0], words[1], value


def outcome(status: str, value: Any) -> Any:
    """The value, or what there is to raise."""
    if status == "SUCCESS":
        return value
    if status == "FAILED":
        # pymorse's rule: what does not fit the service is an error of the call.
        if isinstance(value, str) and "wrong # of parameters" in value:
            raise TypeError(value)
        raise MorseServiceFailed(value)
    if status == "PREEMPTED":
        raise MorseServicePreempted(value)
    raise MorseServiceError(f"unknown status {status}: {value}")


class Future:
    """The reply to a request. Comparing and printing it waits for the value."""

    def __init__(self, requests: "Requests", number: str, what: str):
        self._requests, self._number, self._what = requests, number, what
        self._promise: "Promise[Any]" = Promise()
        self._promise.set_running_or_notify_cancel()

    def result(self, timeout: Optional[float] = None) -> Any:
        """The value; raises what the service raises, and TimeoutError after so many seconds."""
        try:
            return self._promise.result(timeout)
        except PromiseTimeout:
            raise TimeoutError(f"no reply to {self._what} within {timeout} s") from None

    def exception(self, timeout: Optional[float] = None) -> Optional[BaseException]:
        return self._promise.exception(timeout)

    def done(self) -> bool:
        return self._promise.done()

    def running(self) -> bool:
        return not self._promise.done()

    def add_done_callback(self, callback: Callable[["Future"], None]) -> None:
        self._promise.add_done_callback(lambda _promise: callback(self))

    def cancel(self) -> None:
        """Asks the service to stop; the future ends with MorseServicePreempted, if the service agrees."""
        self._requests.cancel(self._number)

    def __repr__(self) -> str:
        return repr(self.result())

    def __str__(self) -> str:
        return str(self.result())

    def __eq__(self, other: object) -> bool:
        return bool(self.result() == other)

    def __ne__(self, other: object) -> bool:
        return bool(self.result() != other)

    def __lt__(self, other: Any) -> bool:
        return bool(self.result() < other)

    def __le__(self, other: Any) -> bool:
        return bool(self.result() <= other)

    def __gt__(self, other: Any) -> bool:
        return bool(self.result() > other)

    def __ge__(self, other: Any) -> bool:
        return bool(self.result() >= other)

    __hash__ = object.__hash__


class Requests:
    """The request port."""

    def __init__(self, line: Line):
        self._line = line
        self._lock = threading.Lock()
        self._next = 0
        self._waiting: Dict[str, Future] = {}
        line.listen(self._heard, self._ended)

    @property
    def is_up(self) -> bool:
        return self._line.is_up

    def send(self, component: str, service: str, arguments: Tuple[Any, ...]) -> Future:
        """Sends a request; its reply is to come."""
        # Before anything is sent: what is no JSON is an error of the caller.
        text = json.dumps(list(arguments))
        with self._lock:
            number = str(self._next)
            self._next += 1
            future = Future(self, number, f"{component} {service}")
            self._waiting[number] = future
        try:
            self._line.send(f"{number} {component} {service} {text}")
        except MorseServerError:
            with self._lock:
                self._waiting.pop(number, None)
            raise
        if not self._line.is_up:
            self._ended()
        return future

    def cancel(self, number: str) -> None:
        self._line.send(f"{number} cancel")

    def pending(self) -> Tuple[Future, ...]:
        """What has no reply yet."""
        with self._lock:
            return tuple(self._waiting.values())

    def _heard(self, line: bytes) -> None:
        try:
            number, status, value = parse(line)
        except (MorseServiceError, ValueError):
            # What is no reply answers nobody.
            return
        with self._lock:
            future = self._waiting.pop(number, None)
        if future is None:
            return
        try:
            future._promise.set_result(outcome(status, value))
        except Exception as error:  # noqa: BLE001
            future._promise.set_exception(error)

    def _ended(self) -> None:
        with self._lock:
            left, self._waiting = self._waiting, {}
        for future in left.values():
            future._promise.set_exception(MorseServerError(f"the simulation ended before it answered {future._what}"))

    def close(self) -> None:
        self._line.close()
        self._ended()
