// Each refusal as the library documents it. The first argument says which limit the test has set.

import { check, detail, ews, refused, run, service } from "./client.mjs";

const limits = {
    // EWSMaxConcurrency 0 for John.
    async concurrency() {
        const john = service("john.doe");
        const fault = await refused("ErrorExceededConnectionCount", "no place: ErrorExceededConnectionCount", () =>
            ews.Folder.Bind(john, ews.WellKnownFolderName.Inbox),
        );
        check("it names the limit", String(detail(fault, "MaxConcurrencyLimit")) === "0", detail(fault, "MaxConcurrencyLimit"));
        check("it came as a fault, with 500", fault.HttpStatusCode === 500, fault.HttpStatusCode);
    },

    // EWSMaxSubscriptions 1 for John.
    async subscriptions() {
        const john = service("john.doe");
        const subscribe = () =>
            john.SubscribeToPullNotifications([new ews.FolderId(ews.WellKnownFolderName.Inbox)], 5, null, ews.EventType.NewMail);
        const first = await subscribe();
        await refused("ErrorExceededSubscriptionCount", "a second subscription: ErrorExceededSubscriptionCount", subscribe);
        await first.Unsubscribe();
        check("the place of an ended one is free again", Boolean(await subscribe()));
    },

    // EWSFindCountLimit 2 for Ken, and three appointments.
    async "find-count"() {
        const find = (version, ...most) => {
            const start = ews.DateTime.Now.AddDays(-1);
            const view = new ews.CalendarView(start, start.AddDays(5), ...most);
            return service("ken.malcolmson", version).FindAppointments(ews.WellKnownFolderName.Calendar, view);
        };
        const later = await refused("ErrorExceededFindCountLimit", "over the limit, 2010: ErrorExceededFindCountLimit", () =>
            find(ews.ExchangeVersion.Exchange2010_SP2),
        );
        check("it names the limit", String(detail(later, "PolicyLimit")) === "2", detail(later, "PolicyLimit"));
        const earlier = await refused("ErrorServerBusy", "over the limit, 2007: ErrorServerBusy", () =>
            find(ews.ExchangeVersion.Exchange2007_SP1),
        );
        check("which names the limit too", String(detail(earlier, "PolicyLimit")) === "2", detail(earlier, "PolicyLimit"));
        check("and asks for no back-off", detail(earlier, "BackOffMilliseconds") === undefined, detail(earlier, "BackOffMilliseconds"));
        const within = await find(ews.ExchangeVersion.Exchange2010_SP2, 2);
        check("a view that asks for no more than the limit passes", within.Items.length === 2, within.Items.length);
    },

    // EWSPercentTimeInCAS 1 for John, refusing at once.
    async time() {
        const john = service("john.doe");
        const fault = await refused("ErrorServerBusy", "too much time: ErrorServerBusy", async () => {
            for (let count = 0; count < 3000; count += 1) {
                await john.FindItems(ews.WellKnownFolderName.Drafts, new ews.ItemView(100));
            }
        });
        const told = Number(detail(fault, "BackOffMilliseconds"));
        check("it says how long to stay away", told >= 1 && told <= 60_000, told);
        check("it came as a fault, with 500", fault.HttpStatusCode === 500, fault.HttpStatusCode);
    },
};

await run(limits[process.argv[2]]);
