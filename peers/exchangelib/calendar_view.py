"""Three days of Ken's calendar, at most 25 appointments, then their attendees in one GetItem (E1, E5)."""

from datetime import timedelta

from client import account, check, done
from exchangelib import EWSDateTime, UTC

ken = account("ken.malcolmson")
start = EWSDateTime.now(tz=UTC).replace(hour=0, minute=0, second=0, microsecond=0)
end = start + timedelta(days=4)

appointments = list(
    ken.calendar.view(start=start, end=end, max_items=25).only("subject", "start", "required_attendees")
)
check("three appointments are in the view", len(appointments) == 3, [a.subject for a in appointments])
check("they come in the order of their start", appointments == sorted(appointments, key=lambda a: a.start))
check("all of them have attendees", all(a.required_attendees for a in appointments), appointments)
check("nothing is in a view of the far past", not list(ken.calendar.view(start - timedelta(days=900), end - timedelta(days=900))))
done()
