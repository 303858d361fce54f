"""Folders: created, renamed, found, walked, deleted; and the changes of the tree as a client syncs them."""

from client import account, check, done, refused
from exchangelib.errors import ErrorFolderExists
from exchangelib.folders import Messages

john = account("john.doe")

hierarchy = list(john.root.sync_hierarchy())
check("a first sync of the tree brings folders", len(hierarchy) > 5, len(hierarchy))

folder = Messages(parent=john.inbox, name="Projects")
folder.save()
check("a folder is created", folder.id is not None)
refused(ErrorFolderExists, "a second one of its name is refused", lambda: Messages(parent=john.inbox, name="Projects").save())

folder.name = "Finished projects"
folder.save()
john.root.clear_cache()
names = [f.name for f in john.inbox.children]
check("a folder is renamed", "Finished projects" in names and "Projects" not in names, names)

changes = list(john.root.sync_hierarchy())
check(
    "the next sync brings this one folder",
    [(kind, f.name) for kind, f in changes] == [("create", "Finished projects")],
    [(kind, getattr(f, "name", f)) for kind, f in changes],
)
check("a sync after which nothing happened brings nothing", list(john.root.sync_hierarchy()) == [])

inner = Messages(parent=folder, name="Inner")
inner.save()
inner.delete()
folder.delete()
john.root.clear_cache()
check("a deleted folder is gone", "Finished projects" not in [f.name for f in john.inbox.children])
walked = [f.name for f in john.msg_folder_root.walk()]
check("walking the tree finds the usual folders", {"Inbox", "Drafts", "Sent Items"} <= set(walked), walked)
done()
