// Six drafts under EWSFindCountLimit 1, asked for ten thousand at a time: paging goes on to the end (T11).

import { check, ews, run, service } from "./client.mjs";

await run(async () => {
    const john = service("john.doe");
    const view = new ews.ItemView(10000, 0);
    view.PropertySet = new ews.PropertySet(ews.BasePropertySet.IdOnly, ews.ItemSchema.Subject);
    const subjects = [];
    let pages = 0;
    let page;
    do {
        page = await john.FindItems(ews.WellKnownFolderName.Drafts, view);
        pages += 1;
        if (pages === 1) {
            check("the first page has one item", page.Items.length === 1, page.Items.length);
            check("more are available", page.MoreAvailable === true, page.MoreAvailable);
            check("six are in the view", page.TotalCount === 6, page.TotalCount);
            check("the next page begins at 1", page.NextPageOffset === 1, page.NextPageOffset);
        }
        subjects.push(...page.Items.map((item) => item.Subject));
        view.Offset = page.NextPageOffset;
    } while (page.MoreAvailable && pages < 20);
    check("six pages bring six drafts", pages === 6 && subjects.length === 6, [pages, subjects]);
    check("each of them once", new Set(subjects).size === 6, subjects);
});
