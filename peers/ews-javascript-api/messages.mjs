// Messages by their subject in pages of 25, then subject and body of all in one GetItem (E1, E5).
//
// The test that runs this counts the GetItem requests in the request log.

import { check, ews, run, service } from "./client.mjs";

await run(async () => {
    const john = service("john.doe");
    for (let number = 1; number <= 5; number += 1) {
        const message = new ews.EmailMessage(john);
        message.Subject = `Message # ${number}`;
        message.Body = new ews.MessageBody(ews.BodyType.Text, `Body ${number}`);
        await message.Save(ews.WellKnownFolderName.Inbox);
    }

    const view = new ews.ItemView(25);
    view.PropertySet = new ews.PropertySet(ews.BasePropertySet.IdOnly);
    view.OrderBy.Add(ews.ItemSchema.Subject, ews.SortDirection.Ascending);
    const filter = new ews.SearchFilter.ContainsSubstring(
        ews.ItemSchema.Subject,
        "Message #",
        ews.ContainmentMode.Substring,
        ews.ComparisonMode.IgnoreCase,
    );
    const found = await john.FindItems(ews.WellKnownFolderName.Inbox, filter, view);
    check("five messages match", found.Items.length === 5, found.Items.length);
    check("and no more", found.MoreAvailable === false, found.MoreAvailable);

    const wanted = new ews.PropertySet(ews.BasePropertySet.IdOnly, ews.ItemSchema.Subject, ews.ItemSchema.Body);
    wanted.RequestedBodyType = ews.BodyType.Text;
    await john.LoadPropertiesForItems(found.Items, wanted);
    const seen = found.Items.map((item) => [item.Subject, item.Body.Text]);
    const meant = [1, 2, 3, 4, 5].map((number) => [`Message # ${number}`, `Body ${number}`]);
    check("one GetItem brings subject and body of all", JSON.stringify(seen) === JSON.stringify(meant), seen);
});
