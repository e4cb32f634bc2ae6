"""Batches: many runs of a scenario or simulation, on all cores or on a cluster of Ray.

    import morse_sim as ms

    rows = ms.batch.run("sweep.ron")
    passed = sum(row["outcome"] == "passed" for row in rows)

The file is that of `morse-sim batch`, and so is the table of the results, which either of them continues.
"""
from __future__ import annotations

import importlib
import json
import math
import os
import threading
import time
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from typing import Any, Callable, Dict, Iterator, List, Mapping, Optional, Sequence, Tuple

from . import _native
from .errors import EnvironmentFault
from .simulation import Path

#: A row of the table: `run`, `seed`, `set`, `drawn`, `outcome`, `conditions`, `values`, `steps`, `seconds`, `state_hash`, `repeat` and
#: `batch`.
Row = Dict[str, Any]
#: Called with the number of rows so far, and the number of runs.
Progress = Callable[[int, int], None]
#: Attempts of a run whose worker is lost. Ray repeats a run that often by itself, before it is an error.
_ATTEMPTS = 5
#: Runs that are sent to a cluster at the same time, per processor: enough to keep each one busy.
_AHEAD = 3
#: Interval in which the size of a cluster is looked up, s.
_INTERVAL = 2.0


def run(
    path: Path, *, output: Optional[Path] = None, workers: Optional[int] = None, address: Optional[str] = None,
    timeout: Optional[float] = None, runtime_env: Optional[Mapping[str, Any]] = None, progress: Optional[Progress] = None,
) -> List[Row]:
    """Makes all runs of a batch file that its table does not have, and returns all rows in the order of the runs.

    `output` is the table, by default beside the file with the extension `.jsonl`: each row is written when its run has ended.
    Without `address` the runs are made in `workers` threads of this process, by default one per processor. With an `address`
    they are made on a cluster of Ray, such as `"ray://head:10001"`, or `"auto"` for the cluster of this machine; `workers`
    then limits the number of simultaneous runs. Each node has this package and the files, under the same paths or by
    `runtime_env={"working_dir": …}`. Runs of lost workers and nodes are made again by others."""
    if workers is not None and workers < 1:
        raise ValueError(f"expected at least one worker, found {workers}")
    batch = _native.Sweep(path, timeout)
    table_path = os.fspath(output) if output is not None else os.path.splitext(os.fspath(path))[0] + ".jsonl"
    table = batch.table(table_path)
    try:
        missing = sorted(set(range(batch.count)).difference(table.done))
        made = batch.count - len(missing)
        rows = _local(batch, missing, workers) if address is None else _on_ray(
            os.fspath(path), batch, missing, workers, timeout, address, runtime_env
        )
        for number, row in rows:
            table.append(number, row)
            made += 1
            if progress is not None:
                progress(made, batch.count)
    finally:
        table.close()
    return read(table_path)


def read(path: Path) -> List[Row]:
    """The rows of a table, in the order of the runs."""
    with open(path, encoding="utf-8") as file:
        rows: List[Row] = [json.loads(line) for line in file if line.endswith("\n")]
    return sorted(rows, key=lambda row: row["run"])


def _local(batch: "_native.Sweep", missing: Sequence[int], workers: Optional[int]) -> Iterator[Tuple[int, str]]:
    """Makes runs in threads, and yields their rows as they end."""
    stopped = threading.Event()

    def make(number: int) -> Optional[str]:
        return None if stopped.is_set() else batch.run(number)

    with ThreadPoolExecutor(workers or os.cpu_count() or 1) as pool:
        running: Dict["Future[Optional[str]]", int] = {pool.submit(make, number): number for number in missing}
        try:
            while running:
                for future in wait(running, return_when=FIRST_COMPLETED).done:
                    number, row = running.pop(future), future.result()
                    if row is not None:
                        yield number, row
        finally:
            # After an exception, such as that of Ctrl-C, the runs that have not begun are left out.
            stopped.set()


_SWEEPS: Dict[Tuple[str, Optional[float]], "_native.Sweep"] = {}
"""Batches that a worker has read."""


def _make(path: str, digest: str, timeout: Optional[float], number: int) -> str:
    """Makes a run in a worker of a cluster."""
    batch = _SWEEPS.get((path, timeout))
    if batch is None or batch.digest != digest:
        batch = _SWEEPS[path, timeout] = _native.Sweep(path, timeout)
    if batch.digest != digest:
        raise EnvironmentFault(
            f"the files of `{path}` on this node differ from those of the driver, or the version of the package does", None
        )
    return batch.run(number)


def _on_ray(
    path: str, batch: "_native.Sweep", missing: Sequence[int], workers: Optional[int], timeout: Optional[float], address: str,
    runtime_env: Optional[Mapping[str, Any]],
) -> Iterator[Tuple[int, str]]:
    """Makes runs on a cluster, and yields their rows as they end."""
    try:
        ray: Any = importlib.import_module("ray")
    except ImportError:
        raise EnvironmentFault("there is no `ray`: install it by `pip install ray`", None) from None
    is_own = not ray.is_initialized()
    if is_own:
        ray.init(address=address, runtime_env=dict(runtime_env or {}), log_to_driver=False)
    elif runtime_env is not None:
        raise ValueError("`runtime_env` is an option of the connection, and `ray.init` has been called already")
    make = ray.remote(num_cpus=1, max_retries=_ATTEMPTS)(_make)
    # A working directory of the cluster has its own place on each node: the path is relative to it.
    sweep = path if runtime_env and "working_dir" in runtime_env else os.path.abspath(path)
    waiting = list(reversed(missing))
    running: Dict[Any, int] = {}
    most, asked = 0, -math.inf
    try:
        while waiting or running:
            # Nodes may come and go.
            if time.monotonic() - asked > _INTERVAL:
                most, asked = workers or max(1, int(ray.cluster_resources().get("CPU", 1))) * _AHEAD, time.monotonic()
            while waiting and len(running) < most:
                number = waiting.pop()
                running[make.remote(sweep, batch.digest, timeout, number)] = number
            done, _ = ray.wait(list(running), num_returns=1)
            for reference in done:
                number = running.pop(reference)
                yield number, _row(ray, reference, number, batch.digest)
    finally:
        for reference in running:
            ray.cancel(reference)
        if is_own:
            ray.shutdown()


def _row(ray: Any, reference: Any, number: int, digest: str) -> str:
    """The row of a run; that of a run which ends each worker is an error."""
    try:
        row: str = ray.get(reference)
        return row
    except (ray.exceptions.WorkerCrashedError, ray.exceptions.NodeDiedError) as error:
        why = f"{_ATTEMPTS + 1} workers were lost while they made this run: {type(error).__name__}"
        return json.dumps({"run": number, "outcome": "error", "error": why, "batch": digest})
    except ray.exceptions.RayTaskError as error:
        raise error.as_instanceof_cause() from None


__all__ = ["Progress", "Row", "read", "run"]
