"""A scheduler for pytest-xdist: it distributes the tests file by file, and continues after a worker
has crashed.
"""

from __future__ import annotations

from xdist.scheduler import LoadFileScheduling
from xdist.workermanage import WorkerController


class ByFile(LoadFileScheduling):
    """A file stays with one worker, which creates shared objects once and opens its page once.

    The test in which a worker dies has failed, and the rest of its files goes to others. xdist's
    own gives that test to the next worker, for which it is as deadly; it ends all with an internal
    error where a file is meant for a worker that has died just now, or has not begun; and it waits
    for ever for a worker whose file has one test left.
    """

    def remove_node(self, node: WorkerController) -> str | None:
        """A worker has ended; return the test that it was running, if any."""
        files = self.assigned_work.pop(node)
        waiting = [
            (tests, name) for tests in files.values() for name, done in tests.items() if not done
        ]
        if not waiting:
            return None
        tests, died_in = waiting[0]
        tests[died_in] = True
        self.workqueue.update(
            {file: tests for file, tests in files.items() if not all(tests.values())}
        )
        return died_in

    def _reschedule(self, node: WorkerController) -> None:
        """Give a started worker more files until it has two tests: with a single test it waits for
        the next.
        """
        waiting = -1
        while node in self.registered_collections and waiting != len(self.workqueue):
            waiting = len(self.workqueue)
            super()._reschedule(node)
            if not self.workqueue or self._pending_of(self.assigned_work[node]) > 1:
                return

    def _assign_work_unit(self, node: WorkerController) -> None:
        file = next(iter(self.workqueue))
        try:
            super()._assign_work_unit(node)
        except OSError:  # it has died, of which `remove_node` will hear
            self.workqueue[file] = self.assigned_work[node].pop(file)
            self.workqueue.move_to_end(file, last=False)
