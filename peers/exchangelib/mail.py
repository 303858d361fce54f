"""The life of a message: written, sent, found, changed, moved, copied, deleted."""

from client import account, check, done, eventually
from exchangelib import Attendee, CalendarItem, EWSDateTime, HTMLBody, Mailbox, Message, UTC
from datetime import timedelta

john = account("john.doe")
jane = account("jane.doe")

Message(
    account=john,
    folder=john.sent,
    subject="Grüße – <dinner> & more",
    body=HTMLBody("<p>Eight o'clock?</p>"),
    to_recipients=[Mailbox(email_address="jane.doe@example.com")],
).send_and_save()

arrived = eventually(lambda: list(jane.inbox.filter(subject="Grüße – <dinner> & more")))
check("a message to another mailbox arrives there, its subject unharmed", bool(arrived) and len(arrived) == 1, arrived)
check("a copy is among the sent ones", john.sent.filter(subject__startswith="Grüße").count() == 1)

letter = arrived[0]
letter.refresh()
check("it says who sent it", letter.sender.email_address == "john.doe@example.com", letter.sender)
check("its body is the one that was written", "Eight o'clock?" in letter.body, letter.body)
check("it is unread", letter.is_read is False, letter.is_read)

letter.is_read = True
letter.categories = ["Evening", "Food"]
letter.save(update_fields=["is_read", "categories"])
letter.refresh()
check("a change is kept", letter.is_read and letter.categories == ["Evening", "Food"], letter.categories)

folder = jane.inbox / "Kept" if any(f.name == "Kept" for f in jane.inbox.children) else None
if folder is None:
    from exchangelib.folders import Messages

    folder = Messages(parent=jane.inbox, name="Kept")
    folder.save()
letter.move(to_folder=folder)
check("a moved message is where it was moved to", folder.all().count() == 1, folder.all().count())
check("and no longer where it was", jane.inbox.filter(subject__startswith="Grüße").count() == 0)
letter.copy(to_folder=jane.drafts)
check("a copied message is in both folders", jane.drafts.filter(subject__startswith="Grüße").count() == 1)
check("the copy has the body", "Eight o'clock?" in jane.drafts.get(subject__startswith="Grüße").body)

letter.move_to_trash()
check("a deleted message is in the deleted items", jane.trash.filter(subject__startswith="Grüße").count() == 1)
jane.trash.filter(subject__startswith="Grüße").delete()
check("a message that is deleted there is gone", jane.trash.filter(subject__startswith="Grüße").count() == 0)

batch = [Message(account=john, folder=john.drafts, subject=f"Batch {n}", body="x") for n in range(20)]
created = john.bulk_create(folder=john.drafts, items=batch)
check("a batch of twenty is created", len(created) == 20, created)
fetched = list(john.fetch(created, only_fields=["subject"]))
check("and answered in the order that was asked", [m.subject for m in fetched] == [f"Batch {n}" for n in range(20)])
results = john.bulk_delete(created)
check("and deleted, each with an answer of its own", results == [True] * 20, results)
missing = list(john.fetch(created[:1], only_fields=["subject"]))
check("what is gone is said to be gone", type(missing[0]).__name__ == "ErrorItemNotFound", missing)

start = EWSDateTime.now(tz=UTC) + timedelta(days=400)
event = CalendarItem(
    account=john,
    folder=john.calendar,
    subject="Far away",
    start=start,
    end=start + timedelta(hours=1),
    required_attendees=[Attendee(mailbox=Mailbox(email_address="jane.doe@example.com"), response_type="Unknown")],
)
event.save()
seen = john.calendar.get(subject="Far away")
check("an appointment keeps its time", seen.start.replace(microsecond=0) == start.replace(microsecond=0), (seen.start, start))
check("and its attendees", [a.mailbox.email_address for a in seen.required_attendees] == ["jane.doe@example.com"])
done()
