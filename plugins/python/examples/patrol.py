from morse.builder import *

rover = ATRV()
rover.translate(x=2.0)

motion = Waypoint()
motion.properties(ObstacleAvoidance=False)
rover.append(motion)

pose = Pose()
pose.frequency(10)
rover.append(pose)

scan = Sick()
scan.translate(x=0.2, z=0.8)
rover.append(scan)

rover.add_default_interface("socket")

env = Environment("indoors-1/boxes")
