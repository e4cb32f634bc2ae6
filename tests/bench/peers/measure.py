"""Arguments, clocks, and the line of figures that all programs here print."""
import argparse
import json
import resource
import time

from scenes import TICK


def arguments():
    parser = argparse.ArgumentParser()
    parser.add_argument("--n", type=int, required=True)
    parser.add_argument("--seconds", type=float, default=1.0)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--substeps", type=int)
    parser.add_argument("--file", help="a file that is loaded, or written if it is not there")
    return parser.parse_args()


def fewest_substeps(args, run):
    """The number of substeps and the result of the first run whose check passes, by growing number; or of the last one.

    `run(substeps)` returns a time, a check and the time of loading. Runs that fail their check do not count.
    """
    for substeps in [args.substeps] if args.substeps else (1, 2, 3, 4, 6, 8):
        result = run(substeps)
        if result[1]["passed"]:
            break
    return substeps, result


class Stopwatch:
    def __init__(self):
        self.cpu, self.wall = time.process_time(), time.perf_counter()

    def elapsed(self):
        return time.perf_counter() - self.wall, time.process_time() - self.cpu


def report(peer, version, scene, args, watch, check, *, ticks=0, tick=TICK, bodies=0, rays=0, frames=0, substeps=1, load=0.0):
    """Prints the line; `watch` is a stopwatch that is read now, or a time that it showed."""
    wall, cpu = watch if isinstance(watch, tuple) else watch.elapsed()
    seconds = ticks * tick
    print(
        json.dumps(
            {
                "peer": peer,
                "scene": scene,
                "n": args.n,
                "sim_seconds": round(seconds, 4),
                "wall_seconds": round(wall, 5),
                "rtf": round(seconds / wall, 4),
                "steps": ticks * substeps,
                "rays_per_s": round(rays / wall),
                "body_steps_per_s": round(bodies * ticks * substeps / wall),
                "version": version,
                "body_ticks_per_s": round(bodies * ticks / wall),
                "cpu_seconds": round(cpu, 5),
                "threads": args.threads,
                "substeps": substeps,
                "sleep": 0,
                "variant": "",
                "load_seconds": round(load, 5),
                "frames_per_s": round(frames / wall, 3),
                "check": check,
                "max_rss_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024,
            }
        )
    )
