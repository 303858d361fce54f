"""A client that obeys: exchangelib's FaultTolerance waits as long as it is told, and then goes on (T19).

EWSPercentTimeInCAS is 1, and the server refuses at once.
"""

import time

from client import account, check, done
from exchangelib import FaultTolerance


class Watched(FaultTolerance):
    """Remembers what the server told it."""

    told = []

    def back_off(self, seconds):
        self.told.append(seconds)
        super().back_off(seconds)


john = account("john.doe", retry_policy=Watched(max_wait=300))
waited = 0
for _ in range(3000):
    began = time.monotonic()
    subjects = [item.subject for item in john.drafts.all().only("subject")]
    waited = time.monotonic() - began
    if Watched.told:
        break
check("the budget is used up, and the server says for how long", bool(Watched.told), Watched.told)
check("the call that was refused succeeds after the wait", len(subjects) == 6, subjects)
check("the server's time was true: one wait, or one and a rest", len(Watched.told) <= 3, Watched.told)
check("the client waited as long as it was told", waited >= sum(Watched.told) * 0.9, (waited, Watched.told))
check("which is no more than the minute that a budget looks back", waited <= 70, waited)
done()
