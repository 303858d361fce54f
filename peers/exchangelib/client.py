"""What every exchangelib script starts from: an account on the server under test, and a way to say what holds.

The test that runs a script gives it the server in MAILWEIR_URL. A script prints one line for each sentence it checks,
and exits with 1 when one of them was not true.
"""

import os
import sys
import time

from exchangelib import BASIC, DELEGATE, Account, Configuration, Credentials, FailFast

PASSWORD = "demo-password"

_untrue = []


def account(name, retry_policy=None, password=PASSWORD, version=None, caller=None, access_type=DELEGATE):
    """The account of `name`@example.com, opened by itself or by `caller`.

    The library asks the server for its version where none is given.
    """
    config = Configuration(
        service_endpoint=os.environ["MAILWEIR_URL"],
        credentials=Credentials(f"{caller or name}@example.com", password),
        auth_type=BASIC,
        retry_policy=retry_policy or FailFast(),
        version=version,
    )
    return Account(f"{name}@example.com", config=config, autodiscover=False, access_type=access_type)


def check(sentence, true, seen=""):
    """Prints the sentence and whether it is true."""
    print(("ok      " if true else "NOT SO  ") + sentence + (f" – seen: {seen}" if not true else ""), flush=True)
    if not true:
        _untrue.append(sentence)


def refused(error, sentence, call):
    """Checks that `call` raises `error`; returns what was raised."""
    try:
        result = call()
    except error as raised:
        check(sentence, True)
        return raised
    except Exception as raised:  # another error is what the sentence denies
        check(sentence, False, repr(raised))
    else:
        check(sentence, False, f"no error but {result!r}")
    return None


def eventually(call, seconds=10):
    """What `call` gives once it gives something, or None after so many seconds."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        result = call()
        if result:
            return result
        time.sleep(0.1)
    return None


def done():
    """Ends the script."""
    sys.exit(1 if _untrue else 0)
