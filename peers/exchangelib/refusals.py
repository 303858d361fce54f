"""Each refusal as exchangelib documents it. The first argument says which limit the test has set for John."""

import sys
from datetime import timedelta

from client import account, check, done, refused
from exchangelib import EWSDateTime, UTC, Version
from exchangelib.version import EXCHANGE_2010_SP2
from exchangelib.errors import (
    ErrorExceededConnectionCount,
    ErrorExceededFindCountLimit,
    ErrorExceededSubscriptionCount,
    ErrorServerBusy,
)


def concurrency():
    """EWSMaxConcurrency 0. The version is given, because a refusal does not say it."""
    john = account("john.doe", version=Version(build=EXCHANGE_2010_SP2))
    refused(ErrorExceededConnectionCount, "no place: ErrorExceededConnectionCount", lambda: john.inbox)


def subscriptions():
    """EWSMaxSubscriptions 1."""
    john = account("john.doe")
    first, _ = john.inbox.subscribe_to_pull()
    refused(
        ErrorExceededSubscriptionCount,
        "a second subscription: ErrorExceededSubscriptionCount",
        lambda: john.inbox.subscribe_to_pull(),
    )
    john.inbox.unsubscribe(first)
    second, _ = john.inbox.subscribe_to_pull()
    check("the place of an ended one is free again", bool(second))


def find_count():
    """EWSFindCountLimit 2, and three appointments."""
    ken = account("ken.malcolmson")
    start = EWSDateTime.now(tz=UTC) - timedelta(days=1)
    refused(
        ErrorExceededFindCountLimit,
        "a calendar view over the limit: ErrorExceededFindCountLimit",
        lambda: list(ken.calendar.view(start, start + timedelta(days=6)).only("subject")),
    )
    within = list(ken.calendar.view(start, start + timedelta(days=6), max_items=2).only("subject"))
    check("a view that asks for no more than the limit passes", len(within) == 2, within)


def time():
    """EWSPercentTimeInCAS 1, refusing at once."""
    john = account("john.doe")

    def spend():
        for _ in range(3000):
            list(john.drafts.all().only("subject"))

    busy = refused(ErrorServerBusy, "too much time: ErrorServerBusy", spend)
    told = busy.back_off if busy else None
    check("it says how long to stay away", bool(told) and 0 < told <= 60, told)


{"concurrency": concurrency, "subscriptions": subscriptions, "find-count": find_count, "time": time}[sys.argv[1]]()
done()
