// Folders created, renamed, deleted; the tree and a folder synced to the end; a pull subscription; names resolved.

import { check, ews, run, service } from "./client.mjs";

async function syncAll(jane, size) {
    const changes = [];
    let state = null;
    let answer;
    do {
        answer = await jane.SyncFolderItems(
            new ews.FolderId(ews.WellKnownFolderName.Inbox),
            ews.PropertySet.IdOnly,
            null,
            size,
            ews.SyncFolderItemsScope.NormalItems,
            state,
        );
        state = answer.SyncState;
        changes.push(...answer.GetEnumerator());
    } while (answer.MoreChangesAvailable && changes.length < 1000);
    return { changes, state };
}

await run(async () => {
    const jane = service("jane.doe");

    const tree = await jane.SyncFolderHierarchy(ews.PropertySet.FirstClassProperties, null);
    check("a first sync of the tree brings folders", tree.Count > 5, tree.Count);
    const folder = new ews.Folder(jane);
    folder.DisplayName = "Projects";
    await folder.Save(ews.WellKnownFolderName.Inbox);
    folder.DisplayName = "Finished";
    await folder.Update();
    const found = await jane.FindFolders(ews.WellKnownFolderName.Inbox, new ews.FolderView(10));
    check("a folder is created and renamed", found.Folders.some((each) => each.DisplayName === "Finished"), found.Folders.length);
    const later = await jane.SyncFolderHierarchy(ews.PropertySet.FirstClassProperties, tree.SyncState);
    check("the next sync brings this one folder", later.Count === 1, later.Count);
    await folder.Delete(ews.DeleteMode.HardDelete);
    const after = await jane.FindFolders(ews.WellKnownFolderName.Inbox, new ews.FolderView(10));
    check("a deleted folder is gone", !after.Folders.some((each) => each.DisplayName === "Finished"));

    const { changes } = await syncAll(jane, 10);
    check("25 messages come in pieces of ten", changes.length === 25, changes.length);
    check("each of them once", new Set(changes.map((change) => change.ItemId.UniqueId)).size === 25);

    const subscription = await jane.SubscribeToPullNotifications(
        [new ews.FolderId(ews.WellKnownFolderName.Inbox)],
        5,
        null,
        ews.EventType.NewMail,
        ews.EventType.Created,
    );
    const message = new ews.EmailMessage(jane);
    message.Subject = "Heard of";
    await message.Save(ews.WellKnownFolderName.Inbox);
    const events = await subscription.GetEvents();
    check("a subscription tells of a new message", events.AllEvents.length >= 1, events.AllEvents.length);
    await subscription.Unsubscribe();

    const people = await jane.ResolveName("john");
    check("a name is resolved", people.Count === 1, people.Count);
});
