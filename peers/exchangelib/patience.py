"""The default: over its budget a call is not refused but waits, and the client notices nothing but the time (T6).

EWSPercentTimeInCAS is 1.
"""

import time

from client import account, check, done

john = account("john.doe")
longest = 0
for _ in range(3000):
    began = time.monotonic()
    subjects = [item.subject for item in john.drafts.all().only("subject")]
    longest = max(longest, time.monotonic() - began)
    if longest > 5:
        break
check("a call that is over the budget is answered like any other", len(subjects) == 6, subjects)
check("after a wait that is within the minute", 5 < longest < 66, longest)
done()
