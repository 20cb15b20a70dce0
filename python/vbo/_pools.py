# SPDX-License-Identifier: MIT
"""Where functions are evaluated at the same time: threads, processes of our own, or a given executor."""

from __future__ import annotations

import math
import os
import pickle
import signal
import sys
from collections.abc import Callable
from concurrent.futures import BrokenExecutor, Executor, Future
from typing import Any

from ._arguments import whole, wrong
from ._errors import InvalidInput

_DEATHS = ("KilledWorker", "WorkerLost", "ManagerLost", "WorkerCrashedError")


def cores() -> int:
    """Those this process may use."""
    return max(1, len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1)


def workers_of(executor: Any) -> int:
    """How many calls an executor runs at the same time, however it says so; as many as cores when it does not."""
    client = getattr(executor, "_client", None)  # Dask: the threads of all its workers
    if client is not None and hasattr(client, "ncores"):
        return max(1, sum(int(count) for count in client.ncores().values()))
    flow = getattr(executor, "_dfk", None)  # Parsl: of all its executors but the one for its own file transfers
    if flow is not None and hasattr(flow, "executors"):
        return max(1, sum(_parsl_workers(one) for label, one in flow.executors.items() if label != "_parsl_internal"))
    for name in ("_max_workers", "max_workers", "num_workers"):  # the standard library and loky; others; mpi4py
        count = getattr(executor, name, None)
        if isinstance(count, int) and count > 0:
            return count
    return cores()


def _parsl_workers(executor: Any) -> int:
    if threads := getattr(executor, "max_threads", None):
        return int(threads)
    provider = executor.provider
    each = float(getattr(executor, "max_workers_per_node", None) or getattr(executor, "max_workers", None) or 1)
    here = cores() if math.isinf(each) else each
    return int(here * getattr(provider, "nodes_per_block", 1) * max(1, getattr(provider, "max_blocks", 1)))


def count_workers(workers: int | None, processes: bool | str, executor: Any) -> int:
    """The argument `workers`: None finds out, -1 is all cores."""
    if workers is None:
        return workers_of(executor) if executor is not None else cores() if processes else 1
    if workers == -1:
        return cores()
    try:
        return whole("workers", workers, 1)
    except InvalidInput:
        raise wrong("workers", workers, "a whole number of at least 1, -1 for all cores, or None") from None


def check(function: Any, processes: bool | str, executor: Any, timeout: float | None) -> None:
    """What would fail in every evaluation is said before the first."""
    if not (isinstance(processes, bool) or processes in ("spawn", "fork", "forkserver")):
        raise wrong("processes", processes, 'True, False, "spawn", "fork" or "forkserver"')
    if executor is not None and not callable(getattr(executor, "submit", None)):
        raise wrong("executor", executor, "a concurrent.futures.Executor, such as ThreadPoolExecutor(8)")
    if executor is not None and processes:
        raise InvalidInput("found both processes and executor, expected one of them", "processes")
    if timeout is not None and not processes and not stops_alone(executor):
        raise InvalidInput(
            "timeout: only an evaluation in a process can be stopped, expected processes=True as well, "
            "or a concurrent.futures.ProcessPoolExecutor as executor",
            "timeout",
        )
    if processes:
        try:
            pickle.dumps(function)
        except Exception as error:
            raise InvalidInput(
                f"function: {function!r} cannot be sent to another process ({error}); expected a function defined with "
                "def at the top level of a module, not a lambda or a nested one. Threads take any: workers=8 without "
                "processes; so does an executor that uses cloudpickle, such as loky.get_reusable_executor()",
                "function",
            ) from error


class Processes(Executor):
    """Processes of our own, one evaluation each at a time: one that dies or is killed costs that evaluation alone.
    `make` makes a pool with one process."""

    def __init__(self, count: int, make: Callable[[], Executor]) -> None:
        self._make = make
        self._pools: list[Executor | None] = [None] * count
        self._free = list(range(count))
        self._place: dict[Future[Any], int] = {}

    def submit(self, call: Any, /, *arguments: Any, **named: Any) -> Future[Any]:
        place = self._free.pop()
        pool = self._pools[place]
        if pool is None:
            pool = self._pools[place] = self._make()
        try:
            future = pool.submit(call, *arguments, **named)
        except BrokenExecutor:  # its process died between two evaluations
            pool.shutdown(wait=False)
            self._pools[place] = None
            self._free.append(place)
            return self.submit(call, *arguments, **named)
        self._place[future] = place
        return future

    def release(self, future: Future[Any]) -> None:
        """Its process may take the next evaluation; a new one does when it has died."""
        place = self._place.pop(future)
        self._free.append(place)
        pool = self._pools[place]
        if pool is not None and isinstance(future.exception(), BrokenExecutor):
            pool.shutdown(wait=False)
            self._pools[place] = None

    def kill(self, future: Future[Any]) -> None:
        for process in list((getattr(self._pools[self._place[future]], "_processes", None) or {}).values()):
            process.kill()

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """Without waiting, what still runs is killed."""
        if not wait:
            for future in self._place:
                self.kill(future)
        for pool in self._pools:
            if pool is not None:
                pool.shutdown(wait=wait)  # each has one evaluation at most


def of_method(count: int, method: str | None) -> Processes:
    """As many as `count`, started by a method of multiprocessing."""
    import multiprocessing
    from concurrent.futures import ProcessPoolExecutor

    context = multiprocessing.get_context(method)
    return Processes(count, lambda: ProcessPoolExecutor(1, mp_context=context, initializer=_ignore_interrupts))


def in_place_of(executor: Any, count: int) -> Processes | None:
    """What goes on when a process of a given pool has died, which ends the pool, or is used when evaluations have a
    timeout: processes made as its are. None for executors whose processes cannot be made here."""
    from concurrent.futures import ProcessPoolExecutor

    if isinstance(executor, ProcessPoolExecutor):
        given: Any = executor
        start = dict(mp_context=given._mp_context, initializer=given._initializer, initargs=given._initargs)
        return Processes(count, lambda: ProcessPoolExecutor(1, **start))
    loky: Any = sys.modules.get("loky.process_executor")
    if loky is not None and isinstance(executor, loky.ProcessPoolExecutor):
        given = executor
        start = dict(context=given._context, initializer=given._initializer, initargs=given._initargs, env=given._env)
        return Processes(count, lambda: loky.ProcessPoolExecutor(1, **start))
    return None


def stops_alone(executor: Any) -> bool:
    """Whether processes can be made in place of a given pool of which one may be killed. Not of loky: waiting for the
    end of one of its pools can take forever then."""
    from concurrent.futures import ProcessPoolExecutor

    return isinstance(executor, ProcessPoolExecutor)


def is_death(error: BaseException | None) -> bool:
    """Whether an evaluation ended with the process that it ran in: the pool says so, or Dask, Parsl or Ray."""
    return isinstance(error, BrokenExecutor) or type(error).__name__ in _DEATHS


def _ignore_interrupts() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the parent's business
