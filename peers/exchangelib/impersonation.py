"""John opens Jane's mailbox by impersonation: denied, or allowed, as the first argument says (T3)."""

import sys

from client import account, check, done, refused
from exchangelib import IMPERSONATION
from exchangelib.errors import ErrorImpersonateUserDenied

jane = account("jane.doe", caller="john.doe", access_type=IMPERSONATION)
if sys.argv[1] == "allowed":
    check("John reads Jane's inbox in her name", jane.inbox.total_count == 25, jane.inbox.total_count)
else:
    refused(ErrorImpersonateUserDenied, "who may not is refused: ErrorImpersonateUserDenied", lambda: jane.inbox.total_count)
done()
