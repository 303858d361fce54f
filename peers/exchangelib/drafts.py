"""Six drafts under EWSFindCountLimit 1: paging goes on to the end and brings each of them once (T11)."""

from client import account, check, done

john = account("john.doe")
subjects = [item.subject for item in john.drafts.all().only("subject")]
check("six drafts come through a limit of one", len(subjects) == 6, subjects)
check("each of them once", sorted(subjects) == [f"Message{n}" for n in range(1, 7)], subjects)
check("a second look brings the same", len(list(john.drafts.all().only("subject"))) == 6)
check("the count comes without the items", john.drafts.all().count() == 6)
done()
