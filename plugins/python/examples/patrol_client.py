from pymorse import Morse

with Morse() as simulation:
    going = simulation.rover.motion.goto(4.0, 2.0, 0.0, 0.5, 1.0)
    print("on the way from", simulation.rover.pose.get()["x"])
    print(going.result())
    print("nearest thing:", min(simulation.rover.scan.get()["range_list"]))
    simulation.quit()
