"""Simulated workers: Ray actors that finish, die and hang as the world decides."""

from typing import Any

from tests.simulation.world import World
from tests.workers.simulated_ray import DONE, PENDING, SimulatedRay


class WorldRay(SimulatedRay):
    """A Ray whose workers live in a simulated world."""

    def __init__(self, world: World) -> None:
        super().__init__(())
        self.world = world
        self.busy_until: dict[Any, float] = {}
        self.idle = 1

    def wait(self, refs: list, num_returns: int, timeout: float) -> tuple[list, list]:
        if timeout:
            self.world.point("wait for workers")
            self.let_workers_act(timeout)
        settled = [ref for ref in refs if ref.state is not PENDING]
        return settled[:num_returns], [ref for ref in refs if ref not in settled[:num_returns]]

    def let_workers_act(self, timeout: float) -> None:
        able = [
            actor
            for actor in self.actors
            if actor.pending()
            and not (actor.dead or actor.hangs)
            and self.busy_until.get(actor, 0.0) <= self.world.now
        ]
        if not able:
            # a driver that waits in vain is stuck after few events
            self.idle = min(2 * self.idle, 256)
            self.world.sleep(timeout * self.idle)
            return
        self.idle = 1
        actor = self.world.chance.choice(able)
        if self.world.happens("worker dies"):
            self.world.record("a worker dies")
            actor.die()
        elif self.world.happens("worker hangs") and actor.refs[0].state is DONE:
            self.world.record("a worker hangs")
            actor.hangs = True
        elif self.world.happens("straggler"):
            self.world.record("a worker falls behind")
            self.busy_until[actor] = self.world.now + self.world.chance.uniform(1, 50)
        else:
            actor.pending()[0].state = DONE

    def cluster_resources(self) -> dict[str, Any]:
        return {"CPU": 2}
