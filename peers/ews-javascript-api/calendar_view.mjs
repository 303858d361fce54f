// Three days of Ken's calendar, at most 25 appointments, then their attendees in one GetItem (E1, E5).

import { check, ews, run, service } from "./client.mjs";

await run(async () => {
    const ken = service("ken.malcolmson");
    const start = ews.DateTime.Now.AddDays(-1);
    const view = new ews.CalendarView(start, start.AddDays(5), 25);
    view.PropertySet = new ews.PropertySet(ews.BasePropertySet.IdOnly, ews.ItemSchema.Subject, ews.AppointmentSchema.Start);
    const found = await ken.FindAppointments(ews.WellKnownFolderName.Calendar, view);
    check("three appointments are in the view", found.Items.length === 3, found.Items.length);
    await ken.LoadPropertiesForItems(
        found.Items,
        new ews.PropertySet(ews.BasePropertySet.FirstClassProperties, ews.AppointmentSchema.RequiredAttendees),
    );
    const attendees = found.Items.map((item) => item.RequiredAttendees.Count);
    check("all of them have attendees", attendees.length === 3 && attendees.every((count) => count > 0), attendees);
});
