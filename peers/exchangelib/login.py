"""Logging in: a good password, a wrong one, and what the account then sees."""

from client import account, check, done, refused
from exchangelib.errors import UnauthorizedError

john = account("john.doe")
check("the inbox has its name", john.inbox.name == "Inbox", john.inbox.name)
check("the root folder has children", len(list(john.msg_folder_root.children)) > 5)
check("the server says which version it speaks", john.version.build is not None, john.version)
check("John has six drafts", john.drafts.total_count == 6, john.drafts.total_count)

refused(
    UnauthorizedError,
    "a wrong password is told apart from every other failure",
    lambda: account("john.doe", password="wrong").inbox.total_count,
)
done()
