"""A client for morse-sim, with the names of MORSE's `pymorse`; no asyncore, any Python from 3.9 on.

    from morse_sim.client import Morse

    with Morse() as simulation:
        simulation.robot.motion.publish({"v": 1.0, "w": 0.0})
        print(simulation.robot.pose.get(timeout=5))
        simulation.robot.motion.stop().result(timeout=5)

Services answer with futures: `result(timeout)` waits, and so do comparing and printing, as in pymorse.
"""
from __future__ import annotations

import re
from types import TracebackType
from typing import Any, Callable, Dict, Iterator, List, Optional, Type

from .errors import (
    MorseServerError,
    MorseServiceError,
    MorseServiceFailed,
    MorseServicePreempted,
)
from .lockstep import Lockstep
from .requests import Future, Requests
from .stream import Stream
from .wire import Line

__all__ = [
    "Component",
    "Future",
    "Lockstep",
    "Morse",
    "MorseServerError",
    "MorseServiceError",
    "MorseServiceFailed",
    "MorseServicePreempted",
    "Robot",
    "Stream",
]

DISCOVERY = 15.0
"""How long a simulation may take to say who is there, s."""


def identifier(name: str) -> str:
    """A name as an attribute of Python."""
    return re.sub(r"[.\-~]", "_", name)


class Component:
    """A sensor or an actuator: its services are methods, its stream is opened when it is first used."""

    def __init__(self, morse: "Morse", path: str, details: Dict[str, Any]):
        self._morse = morse
        self.fqn = path
        self.name = path.rsplit(".", 1)[-1]
        self.type = str(details.get("type", ""))
        self.services: List[str] = list(details.get("services", []))
        self.directions = {str(stream[1]) for stream in details.get("stream_interfaces", [])}
        self.components: Dict[str, Component] = {}
        self._stream: Optional[Stream] = None

    @property
    def stream(self) -> Stream:
        if self._stream is None:
            if not self.directions:
                raise AttributeError(f"{self.fqn} has no stream: give it `add_stream('socket')`")
            port = self._morse.get_stream_port(self.fqn)
            self._stream = Stream(self._morse._line(port))
        return self._stream

    def _directed(self, direction: str, verb: str) -> Stream:
        if direction not in self.directions:
            other = "takes commands" if "IN" in self.directions else "has readings" if self.directions else "has no stream"
            raise AttributeError(f"{self.fqn} {other}: it cannot {verb}")
        return self.stream

    def get(self, timeout: Optional[float] = None) -> Any:
        """The next reading; None after so many seconds."""
        return self._directed("OUT", "get").get(timeout)

    def last(self, n: Optional[int] = None) -> Any:
        """The newest reading, or a list of the n newest."""
        return self._directed("OUT", "last").last(n)

    def subscribe(self, callback: Callable[[Any], None]) -> None:
        self._directed("OUT", "subscribe").subscribe(callback)

    def unsubscribe(self, callback: Callable[[Any], None]) -> None:
        self._directed("OUT", "unsubscribe").unsubscribe(callback)

    def publish(self, command: Any) -> None:
        """Sends a command."""
        self._directed("IN", "publish").publish(command)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        if name in self.components:
            return self.components[name]
        if name in self.services:

            def service(*arguments: Any) -> Future:
                return self._morse.request(self.fqn, name, *arguments)

            service.__name__ = name
            return service
        known = ", ".join([*self.components, *self.services]) or "nothing; give it `add_service('socket')`"
        raise AttributeError(f"{self.fqn} has no `{name}`; known: {known}")

    def close(self) -> None:
        if self._stream is not None:
            self._stream.close()
            self._stream = None


class Robot(Component):
    """A robot: its components are attributes, and entries."""

    def __getitem__(self, name: str) -> Component:
        return self.components[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.components)

    def keys(self) -> List[str]:
        return list(self.components)

    def values(self) -> List[Component]:
        return list(self.components.values())


class Morse:
    """A connection to a simulation."""

    def __init__(
        self,
        host: str = "localhost",
        port: int = 4000,
        timeout: float = 10.0,
        token: Optional[str] = None,
    ):
        self.host, self.port, self.timeout, self.token = host, port, timeout, token
        self.robots: List[str] = []
        self._robots: Dict[str, Any] = {}
        self._requests = Requests(self._line(port))
        try:
            self._discover()
        except BaseException:
            self._requests.close()
            raise

    def _line(self, port: int) -> Line:
        return Line(self.host, port, self.timeout, self.token)

    def _discover(self) -> None:
        details = self.rpc("simulation", "details", timeout=DISCOVERY)
        self.environment = details.get("environment")
        for each in details["robots"]:
            robot = Robot(self, each["name"], {**each, "stream_interfaces": []})
            for path in sorted(each["components"]):
                self._add(robot, path, each["components"][path])
            self._robots[identifier(robot.fqn)] = robot
        self.robots = list(self._robots)
        # Robots that a loop made are a list, too: `rover`, `rover_001`, ... are `rovers`.
        for name in sorted(self.robots):
            more = [other for other in sorted(self.robots) if re.fullmatch(re.escape(name) + r"_\d{3}", other)]
            if more:
                self._robots.setdefault(name + "s", [self._robots[each] for each in [name, *more]])

    def _add(self, robot: Robot, path: str, details: Dict[str, Any]) -> None:
        owner: Component = robot
        # A part of a component that has none of its own is the robot's.
        steps = path.split(".")[1:]
        while len(steps) > 1 and steps[0] in owner.components:
            owner = owner.components[steps.pop(0)]
        owner.components[identifier(".".join(steps))] = Component(self, path, details)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_") or "_robots" not in self.__dict__:
            raise AttributeError(name)
        if name in self._robots:
            return self._robots[name]
        raise AttributeError(f"there is no robot `{name}`; known: {', '.join(self.robots) or 'none'}")

    # Requests --------------------------------------------------------------------------------------

    def request(self, component: str, service: str, *arguments: Any) -> Future:
        """Calls a service; its reply is to come."""
        return self._requests.send(component, service, arguments)

    def rpc(self, component: str, service: str, *arguments: Any, timeout: Optional[float] = None) -> Any:
        """Calls a service and waits for the value, for ever unless `timeout` says how many seconds."""
        return self.request(component, service, *arguments).result(timeout)

    def rpc_t(self, timeout: Optional[float], component: str, service: str, *arguments: Any) -> Any:
        """pymorse's form of it."""
        return self.rpc(component, service, *arguments, timeout=timeout)

    def cancel(self, service_id: Any) -> None:
        self._requests.cancel(str(service_id))

    def is_up(self) -> bool:
        return self._requests.is_up

    # The simulation ----------------------------------------------------------------------------------

    def quit(self) -> None:
        """Ends the simulation, and closes."""
        try:
            self.rpc("simulation", "quit", timeout=self.timeout)
        finally:
            self.close(cancel_async_services=True)

    def reset(self) -> Any:
        return self.rpc("simulation", "reset_objects", timeout=self.timeout)

    def streams(self) -> Any:
        return self.rpc("simulation", "list_streams", timeout=self.timeout)

    def get_stream_port(self, stream: str) -> int:
        return int(self.rpc("simulation", "get_stream_port", stream, timeout=self.timeout))

    def activate(self, component: str) -> Any:
        return self.rpc("simulation", "activate", component, timeout=self.timeout)

    def deactivate(self, component: str) -> Any:
        return self.rpc("simulation", "deactivate", component, timeout=self.timeout)

    def sleep(self, time: float, timeout: Optional[float] = None) -> None:
        """Waits for simulated time to pass, s."""
        self.rpc("time", "sleep", time, timeout=timeout)

    def time(self) -> float:
        """The simulated time, s."""
        return float(self.rpc("time", "now", timeout=self.timeout) or 0.0)

    def lockstep(self, port: int = 6000) -> Lockstep:
        """Holds simulated time: from now on each tick is asked for."""
        return Lockstep(self, self._line(port), self.timeout)

    # The end -----------------------------------------------------------------------------------------

    def _components(self) -> Iterator[Component]:
        waiting: List[Component] = [each for each in self._robots.values() if isinstance(each, Component)]
        while waiting:
            component = waiting.pop()
            yield component
            waiting.extend(component.components.values())

    def close(self, cancel_async_services: bool = False, wait_publishers: bool = True) -> None:
        """Closes all connections; waits for replies, or cancels what waits for one."""
        del wait_publishers
        pending = self._requests.pending()
        if cancel_async_services and self._requests.is_up:
            for future in pending:
                try:
                    future.cancel()
                except MorseServerError:
                    break
        else:
            for future in pending:
                future.exception()
        for component in self._components():
            component.close()
        self._requests.close()

    def __enter__(self) -> "Morse":
        return self

    def __exit__(
        self,
        kind: Optional[Type[BaseException]],
        error: Optional[BaseException],
        trace: Optional[TracebackType],
    ) -> None:
        self.close(cancel_async_services=kind is not None)
