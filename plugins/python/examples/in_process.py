"""A rover drives towards the boxes, and stops in front of them."""
import morse_sim as ms

ROOM = """Simulation(
    scene: "boxes.robray",
    robots: { "rover": (
        model: "robots/atrv.robray", at: (translation: (-8, -3, 0.1)),
        sensors: {
            "pose": (kind: "pose"),
            "scan": (kind: "laser_scanner", mount: (translation: (0.45, 0, 0.5))),
        },
        actuators: { "motion": (kind: "v_omega") },
    ) },
)"""

simulation = ms.Simulation(text=ROOM, directory="scenes", seed=3)
simulation.step()
while simulation.time < 20.0 and simulation["rover.scan"].data.range_list.min() > 1.0:
    simulation["rover.motion"].command(v=0.5, w=0.0)
    simulation.run(0.1)
pose = simulation["rover.pose"]
print(f"{simulation.time:.1f} s: at {pose.data.x:.2f} {pose.fields['x'].unit}, state {simulation.state_hash}")

other = simulation.fork()
other["rover.motion"].command(v=-0.5)
for each in (simulation, other):
    each.run(1.0)
print(f"{other['rover.pose'].data.x - pose.data.x:.2f} m from where the first one is")
