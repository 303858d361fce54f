// The life of a message: written, sent, found, changed, moved, copied, deleted.

import { check, escaped, ews, eventually, run, service } from "./client.mjs";

await run(async () => {
    const john = service("john.doe");
    const jane = service("jane.doe");
    const subject = "Grüße – <dinner> & more";

    const letter = new ews.EmailMessage(john);
    letter.Subject = escaped(subject);
    letter.Body = new ews.MessageBody(ews.BodyType.HTML, escaped("<p>Eight o'clock?</p>"));
    letter.ToRecipients.Add("jane.doe@example.com");
    await letter.SendAndSaveCopy();

    const named = new ews.SearchFilter.ContainsSubstring(ews.ItemSchema.Subject, "Grüße");
    const count = async (who, folder) => (await who.FindItems(folder, named, new ews.ItemView(10))).Items.length;
    const arrived = await eventually(async () => {
        const found = await jane.FindItems(ews.WellKnownFolderName.Inbox, named, new ews.ItemView(10));
        return found.Items.length > 0 ? found : null;
    });
    check("a message to another mailbox arrives there", arrived?.Items.length === 1, arrived?.Items.length);
    check("a copy is among the sent ones", (await count(john, ews.WellKnownFolderName.SentItems)) === 1);

    const message = await ews.EmailMessage.Bind(jane, arrived.Items[0].Id);
    check("its subject is unharmed", message.Subject === subject, message.Subject);
    check("it says who sent it", message.From.Address === "john.doe@example.com", message.From?.Address);
    check("its body is the one that was written", message.Body.Text.includes("Eight o'clock?"), message.Body.Text);
    check("it is unread", message.IsRead === false, message.IsRead);

    message.IsRead = true;
    await message.Update(ews.ConflictResolutionMode.AutoResolve);
    const again = await ews.EmailMessage.Bind(jane, message.Id, new ews.PropertySet(ews.BasePropertySet.IdOnly, ews.EmailMessageSchema.IsRead));
    check("a change is kept", again.IsRead === true, again.IsRead);

    await message.Copy(ews.WellKnownFolderName.Drafts);
    check("a copied message is there too", (await count(jane, ews.WellKnownFolderName.Drafts)) === 1);
    await message.Move(ews.WellKnownFolderName.DeletedItems);
    check("a moved message is where it was moved to", (await count(jane, ews.WellKnownFolderName.DeletedItems)) === 1);
    check("and no longer where it was", (await count(jane, ews.WellKnownFolderName.Inbox)) === 0);
    const moved = await jane.FindItems(ews.WellKnownFolderName.DeletedItems, named, new ews.ItemView(10));
    await moved.Items[0].Delete(ews.DeleteMode.HardDelete);
    check("a deleted message is gone", (await count(jane, ews.WellKnownFolderName.DeletedItems)) === 0);
});
