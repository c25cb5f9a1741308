"""Distributed tasks on Ray. This is the only package that imports ray.

The path of a task through the files:

    pool.py        Workers.run takes an iterable of tasks and yields (id, result) in any order;
                   Workers starts Ray and owns the actors
    dispatch.py    Dispatch takes the next task when an executor is free, and assigns it
    executors.py   an actor runs it (Worker on its machine, WorkerHandle on the driver), or a thread
                   of the driver does while Ray starts (DriverThread)
    transport.py   the task's function unpacks the players in its arguments
    shared.py      large arguments are sent once for all tasks
    dispatch.py    the first result of a task is yielded; tasks of lost workers are reassigned

Other files: task.py (Task), ranges.py (games per task), cluster.py (start or join Ray), head.py
(the process that holds a local Ray), access.py (check address and token), ray_private.py (every use
of `ray._private`).
"""

import console as console  # first: it handles Ctrl-C during imports
