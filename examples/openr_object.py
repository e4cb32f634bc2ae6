"""An object in a process of its own: it drives a rover forward until it has gone three metres.

    morse-sim my_rover.ron & python3 examples/openr_object.py 59100

The rover's stick lists FORWARD.BIN, its stub.cfg declares the services `Motion` and `Pose`, and the simulation file has
`middlewares: { "objects": (kind: "openr", directory: "…", external: { "FORWARD.BIN": 59100 }) }`.
"""
import json
import socket
import struct
import sys
import time


class Host:
    """The simulation, which sends messages and waits for an answer to each."""

    def __init__(self, port, patience=10.0):
        deadline = time.monotonic() + patience
        while True:
            try:
                self.socket = socket.create_connection(("127.0.0.1", port))
                break
            except OSError:
                if time.monotonic() > deadline:
                    raise
                time.sleep(0.02)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    def read(self, length):
        data = b""
        while len(data) < length:
            received = self.socket.recv(length - len(data))
            if not received:
                return None
            data += received
        return data

    def message(self):
        """The next message, or None when the simulation has ended."""
        head = self.read(4)
        if head is None:
            return None
        body = self.read(struct.unpack(">I", head)[0])
        return None if body is None else json.loads(body)

    def send(self, value):
        body = json.dumps(value).encode()
        self.socket.sendall(struct.pack(">I", len(body)) + body)

    def answer(self, calls, status=0):
        self.send({"calls": calls, "status": status})

    def request(self, request):
        """The result of a request to the robot's system, before the present message is answered."""
        self.send({"request": request})
        answer = self.message()
        if answer["status"] != 0:
            raise OSError(f"{request}: status {answer['status']}")
        return answer.get("result")


class Forward:
    """Full speed ahead, for three metres."""

    def start(self, _message):
        return [{"assert_ready": "Pose"}]

    def notify(self, message):
        pose = json.loads(message["data"][-1])
        speed = 1.0 if pose["x"] < 3.0 else 0.0
        command = json.dumps({"v": speed, "w": 0.0})
        return [{"set_data": ["Motion", command]}, {"notify": "Motion"}, {"assert_ready": "Pose"}]


def main():
    host = Host(int(sys.argv[1]))
    thing = Forward()
    while (message := host.message()) is not None:
        handler = getattr(thing, message["entry"], None)
        host.answer(handler(message) if handler else [])


if __name__ == "__main__":
    main()
