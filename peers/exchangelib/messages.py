"""Messages by their subject, in pages of 25, then subject and body in one GetItem (E1, E5).

The test that runs this counts the GetItem requests in the request log.
"""

from client import account, check, done
from exchangelib import Message

john = account("john.doe")
folder = john.inbox
for number in range(1, 6):
    Message(account=john, folder=folder, subject=f"Message # {number}", body=f"Body {number}").save()
Message(account=john, folder=folder, subject="Something else", body="no").save()

found = folder.filter(subject__contains="Message #").only("subject", "body").order_by("subject")
found.page_size = 25
messages = list(found)
check("five messages match", len(messages) == 5, [m.subject for m in messages])
check("in the order that was asked for", [m.subject for m in messages] == [f"Message # {n}" for n in range(1, 6)])
check("each with its own body", [m.body for m in messages] == [f"Body {n}" for n in range(1, 6)], [m.body for m in messages])
done()
