"""An object in a process of its own: it turns the head of an AIBO to the left and to the right.

    morse-sim my_dog.ron & python3 examples/openr_head.py 59101

The dog's stick lists TURN.BIN, its stub.cfg declares the services `Move` and `Sensor`, and the simulation file has
`middlewares: { "objects": (kind: "openr", body: "aibo", directory: "…", external: { "TURN.BIN": 59101 }) }`.
"""
import base64
import math
import struct
import sys

from openr_object import Host

PAN = "PRM:/r1/c1/c2-Joint2:12"
HEAD, ENTRY, FRAMES = 192, 32, 16
JOINT_COMMAND, COMMANDS = 259, 1024


def command_vector(joint, angles):
    """A vector of commands for one joint: up to 16 angles in millionths of a radian."""
    data = HEAD + ENTRY
    vector = bytearray(data + FRAMES * 8)
    struct.pack_into("<8I", vector, 12, len(vector), COMMANDS, HEAD, ENTRY, 1, 1, 0, 0)
    struct.pack_into("<7I", vector, HEAD, JOINT_COMMAND, joint, 0, len(angles), 8, data, FRAMES * 8)
    for frame, angle in enumerate(angles):
        struct.pack_into("<i", vector, data + 8 * frame, angle)
    return base64.b64encode(vector).decode()


def sensor_value(vector, primitive):
    """The newest value of a primitive in a vector of sensor values."""
    (count,) = struct.unpack_from("<I", vector, 32)
    for at in range(HEAD, HEAD + count * ENTRY, ENTRY):
        _, known, _, frames, size, data = struct.unpack_from("<6I", vector, at)
        if known == primitive:
            return struct.unpack_from("<i", vector, data + (frames - 1) * size)[0]
    return None


class Turn:
    """Half a radian to both sides, in four seconds."""

    def __init__(self, host):
        self.host = host
        self.frame = 0
        self.farthest = 0

    def init(self, _message):
        self.pan = self.host.request({"open_primitive": PAN})
        self.host.request({"set_joint_gain": {"joint": self.pan, "gains": [8, 2, 4]}})
        self.host.request({"set_motor_power": True})
        return []

    def start(self, _message):
        return [{"assert_ready": "Sensor"}]

    def ready(self, _message):
        calls = []
        for _ in range(2 if self.frame == 0 else 1):
            angles = [self.angle(self.frame + step) for step in range(1, FRAMES + 1)]
            self.frame += FRAMES
            calls.append({"set_data": ["Move", {"base64": command_vector(self.pan, angles)}]})
        return calls + [{"notify": "Move"}]

    def notify(self, message):
        vector = base64.b64decode(message["data"][-1]["base64"])
        self.farthest = max(self.farthest, sensor_value(vector, self.pan))
        return [{"assert_ready": "Sensor"}]

    def stop(self, _message):
        return [{"log": f"turned by up to {self.farthest / 1e6:.2f} rad"}]

    @staticmethod
    def angle(frame):
        return round(0.5e6 * math.sin(2 * math.pi * frame * 0.008 / 4))


def main():
    host = Host(int(sys.argv[1]))
    turn = Turn(host)
    while (message := host.message()) is not None:
        handler = getattr(turn, message["entry"], None)
        host.answer(handler(message) if handler else [])


if __name__ == "__main__":
    main()
