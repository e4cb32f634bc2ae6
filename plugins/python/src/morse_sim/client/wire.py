"""Lines of text over TCP, read by a thread of their own."""
from __future__ import annotations

import json
import socket
import threading
from typing import Any, Callable, List, Optional

from .errors import MorseServerError

Listener = Callable[[bytes], None]


class Line:
    """A connection to one port."""

    def __init__(self, host: str, port: int, timeout: float, token: Optional[str] = None):
        try:
            self._socket = socket.create_connection((host, port), timeout=timeout)
        except OSError as error:
            raise MorseServerError(
                f"no simulation answers at {host}:{port} ({error}); start one with `morse run SCRIPT.py`"
            ) from None
        self._socket.settimeout(None)
        self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._sending = threading.Lock()
        self._listeners: List[Listener] = []
        self._ends: List[Callable[[], None]] = []
        self._is_closed = threading.Event()
        self._thread: Optional[threading.Thread] = None
        if token is not None:
            self.send(f"token {token}")

    def listen(self, listener: Listener, end: Callable[[], None]) -> None:
        """Calls for each line, and once when there are no more; from another thread."""
        self._listeners.append(listener)
        self._ends.append(end)
        self._thread = threading.Thread(target=self._read, name="morse client", daemon=True)
        self._thread.start()

    def _read(self) -> None:
        rest = b""
        while True:
            try:
                heard = self._socket.recv(1 << 16)
            except OSError:
                heard = b""
            if not heard:
                break
            *lines, rest = (rest + heard).split(b"\n")
            for line in lines:
                for listener in self._listeners:
                    listener(line)
        self._is_closed.set()
        for end in self._ends:
            end()

    @property
    def is_up(self) -> bool:
        return not self._is_closed.is_set()

    def send(self, text: str) -> None:
        """A line; returns when the system has it."""
        self.send_bytes(text.encode() + b"\n")

    def send_bytes(self, data: bytes) -> None:
        with self._sending:
            try:
                self._socket.sendall(data)
            except OSError as error:
                raise MorseServerError(f"the simulation has gone ({error})") from None

    def close(self) -> None:
        self._is_closed.set()
        try:
            self._socket.shutdown(socket.SHUT_RDWR)
        except OSError:
            # It was closed by the other side.
            pass
        self._socket.close()
        if self._thread is not None and self._thread is not threading.current_thread():
            self._thread.join(1.0)


def decode(line: bytes) -> Any:
    """JSON as Python writes it: NaN and Infinity are numbers."""
    return json.loads(line.decode("utf-8", "replace"))
