"""Following a mailbox: items synced to the end, a pull subscription, names resolved, time zones."""

from client import account, check, done, eventually
from exchangelib import Message
from exchangelib.errors import ErrorSubscriptionNotFound

jane = account("jane.doe")

synced = list(jane.inbox.sync_items(max_changes_returned=7))
check("25 messages come in pieces of seven", len(synced) == 25, len(synced))
check("all of them as new", {kind for kind, _ in synced} == {"create"}, {kind for kind, _ in synced})
check("each of them once", len({item.id for _, item in synced}) == 25)
check("after which there is nothing more", list(jane.inbox.sync_items()) == [])

message = Message(account=jane, folder=jane.inbox, subject="Fresh", body="new")
message.save()
check("what comes later is synced alone", [kind for kind, _ in jane.inbox.sync_items()] == ["create"])
message.delete()
check("and so is its end", [kind for kind, _ in jane.inbox.sync_items()] == ["delete"])

subscription, watermark = jane.inbox.subscribe_to_pull()
check("a subscription begins at a watermark", bool(subscription) and bool(watermark))
late = Message(account=jane, folder=jane.inbox, subject="Heard of", body="hear")
late.save()


def heard():
    events = []
    for notification in jane.inbox.get_events(subscription, watermark):
        events += [type(event).__name__ for event in notification.events]
    return [name for name in events if name != "StatusEvent"]


events = eventually(heard)
check("its events tell of a new message", events and "CreatedEvent" in events or "NewMailEvent" in (events or []), events)
jane.inbox.unsubscribe(subscription)
try:
    list(jane.inbox.get_events(subscription, watermark))
    check("an ended subscription is not found", False, "no error")
except ErrorSubscriptionNotFound:
    check("an ended subscription is not found", True)
late.delete()

people = jane.protocol.resolve_names(["john"])
check("a name is resolved", [p.email_address for p in people] == ["john.doe@example.com"], people)
zones = list(jane.protocol.get_timezones())
check("the server knows time zones", len(zones) > 10, len(zones))
done()
