"""Tasks on Ray. This is the only package that imports ray.

The walk of a task, and the file of each step:

    pool.py        Workers.run takes an iterable of tasks and yields (id, result) in any order;
                   Workers starts Ray and owns the actors
    dispatch.py    Dispatch draws a task when an executor is free, and assigns it
    executors.py   an actor does it (Worker, on its machine; WorkerHandle, on the driver), or a
                   thread of the driver does while Ray starts (DriverThread)
    transport.py   the task's function unpacks the players that its arguments hold
    shared.py      large arguments travel once, however many tasks refer to them
    dispatch.py    the first result of a task is yielded; tasks of lost workers are assigned again

Beside the walk: task.py (Task, and tasks that follow from others), ranges.py (how many games a task
has), cluster.py (start or join Ray), head.py (the process that holds a local Ray), access.py (check
address and token), ray_private.py (every use of `ray._private`).
"""

import console as console  # first: it hears Ctrl-C
