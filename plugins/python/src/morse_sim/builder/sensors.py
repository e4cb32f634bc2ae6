"""MORSE's sensors."""
from __future__ import annotations

from typing import Any, List, Optional

from .creator import SensorCreator


def _make(name: str, doc: str, parent: type = SensorCreator) -> type:
    """A class of sensor that only differs by its kind."""
    return type(name, (parent,), {"__doc__": doc, "__module__": __name__})


Accelerometer = _make("Accelerometer", "Speed and acceleration.")
Airspeed = _make("Airspeed", "A pitot tube.")
ArmaturePose = _make("ArmaturePose", "The joints of an armature.")
Attitude = _make("Attitude", "Angles and turning rates.")
Barometer = _make("Barometer", "Pressure.")
Battery = _make("Battery", "Charge.")
Clock = _make("Clock", "The time.")
Collision = _make("Collision", "What it touches.")
GPS = _make("GPS", "Position.")
Gyroscope = _make("Gyroscope", "Angles.")
HumanPosture = _make("HumanPosture", "A person's joints.")
IMU = _make("IMU", "Turning rates, acceleration, magnetic field.")
Magnetometer = _make("Magnetometer", "Magnetic field.")
Odometry = _make("Odometry", "The way that was made.")
PTUPosture = _make("PTUPosture", "Angles of a pan-tilt unit.")
Pose = _make("Pose", "Position and angles.")
Proximity = _make("Proximity", "What is near.")
RadarAltimeter = _make("RadarAltimeter", "Height above what is below.")
SearchAndRescue = _make("SearchAndRescue", "Victims ahead.")
StereoUnit = _make("StereoUnit", "Two cameras.")
Thermometer = _make("Thermometer", "Temperature.")
Velocity = _make("Velocity", "Speed.")


class LaserSensorWithArc(SensorCreator):
    """A laser scanner."""

    def create_laser_arc(self) -> None:
        """The rays follow the settings by themselves."""

    def get_ray_material(self) -> None:
        """Rays are not drawn."""


Hokuyo = _make("Hokuyo", "270 degrees in steps of a quarter.", LaserSensorWithArc)
Infrared = _make("Infrared", "20 degrees, 2 m.", LaserSensorWithArc)
Sick = _make("Sick", "180 degrees in steps of one.", LaserSensorWithArc)
SickLDMRS = _make("SickLDMRS", "Four layers of 100 degrees.", LaserSensorWithArc)
VelodyneRayCast = _make("VelodyneRayCast", "A turning fan of 64 rays.", LaserSensorWithArc)


class VideoCamera(SensorCreator):
    """A camera that looks along x; it turns by x to the left, by y up, by z about its view."""

    def rotate(self, x: float = 0.0, y: float = 0.0, z: float = 0.0) -> None:
        # Blender's cameras look along -z: MORSE exchanges the axes.
        super().rotate(x=-z, y=-y, z=x)

    def hide_mesh(self, hide: bool = True) -> None:
        """Cameras are not drawn."""


DepthCamera = _make("DepthCamera", "Points in space.", VideoCamera)
RawImage = _make("RawImage", "Depths as the renderer has them.", VideoCamera)
SemanticCamera = _make("SemanticCamera", "Objects in view.", VideoCamera)
VLP16_180 = _make("VLP16_180", "Three depth cameras, merged.")
Velodyne = _make("Velodyne", "A depth camera that turns.", VideoCamera)
VelodyneZB = Velodyne


class CompoundSensor(SensorCreator):
    """The data of several sensors."""

    def __init__(self, sensors: List[Any], name: Optional[str] = None):
        super().__init__(name)
        self.sensors = list(sensors)


class Kinect(CompoundSensor):
    """A camera and a depth camera."""

    def __init__(self, name: str = "Kinect"):
        super().__init__([], name)
        self.video_camera = VideoCamera("rgb")
        self.video_camera.properties(cam_width=128, cam_height=128)
        self.video_camera.location = (0.06, 0.08, 0.04)
        self.depth_camera = DepthCamera("depth")
        self.depth_camera.properties(
            classpath="morse.sensors.depth_camera.DepthVideoCamera", cam_width=128, cam_height=128, Vertical_Flip=True
        )
        self.depth_camera.location = (0.06, -0.08, 0.04)
        self.append(self.video_camera)
        self.append(self.depth_camera)
        self.sensors = [self.video_camera, self.depth_camera]

    def add_stream(self, *arguments: Any, **settings: Any) -> None:
        self.video_camera.add_stream(*arguments, **settings)
        self.depth_camera.add_stream(*arguments, **settings)

    def frequency(self, frequency: Optional[float] = None) -> None:
        self.video_camera.frequency(frequency)
        self.depth_camera.frequency(frequency)
