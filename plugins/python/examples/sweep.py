"""A batch from Python: how often does the rover arrive, by the rate of the simulation?"""
from collections import Counter

import morse_sim as ms

rows = ms.batch.run("plugins/python/examples/sweep.ron", output="out/sweep.jsonl")
arrived = Counter(row["set"][0] for row in rows if row["outcome"] == "passed")
for setting, count in sorted(arrived.items()):
    print(f"{setting}: {count} of {len(rows) // 2} arrive")
