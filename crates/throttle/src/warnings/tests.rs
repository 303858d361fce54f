use super::*;

const CAS: Part = Part::Time(TimePart::Cas);

fn second(count: u64) -> Tick {
    Tick::START.plus(Micros::SECOND.times(count))
}

fn owner(number: u32) -> Owner {
    Owner::new(&format!("owner{number}@example.com"))
}

/// Notes that `owner` was over budget so many times in EWS.
fn note(watch: &mut Watch, owner: &Owner, part: Part, times: u32, now: Tick) {
    for _ in 0..times {
        watch.note(owner, Component::Ews, part, "Foo", WarningSettings::default().watched, now);
    }
}

fn events(watch: &mut Watch, settings: &WarningSettings, budgets: usize, now: Tick) -> Vec<Event> {
    watch.close(now).map(|minute| minute.events(settings, |_| budgets)).unwrap_or_default()
}

fn field<'e>(event: &'e Event, name: &str) -> &'e str {
    &event.fields.iter().find(|(field, _)| *field == name).unwrap().1
}

#[test]
fn an_owner_is_told_when_he_was_over_budget_more_often_than_the_threshold() {
    let settings = WarningSettings::default();
    let mut watch = Watch::default();
    note(&mut watch, &owner(1), CAS, 634, second(5));
    note(&mut watch, &owner(1), Part::MaxConcurrency, 1, second(64));
    note(&mut watch, &owner(2), CAS, 100, second(64));
    assert!(events(&mut watch, &settings, 1000, second(64)).is_empty(), "the minute is not over");
    let told = events(&mut watch, &settings, 1000, second(65));
    let [event] = &told[..] else { panic!("exactly the threshold is no warning: {told:?}") };
    assert_eq!((event.id, event.level), (EventId(2915), Level::Warning));
    assert_eq!(
        event.fields,
        [
            ("owner", "owner1@example.com"),
            ("component", "EWS"),
            ("count", "635"),
            ("threshold", "100"),
            ("parts", "MaxConcurrency:1,PercentTimeInCAS:634"),
            ("policy", "Foo"),
        ]
        .map(|(name, value)| (name, value.to_owned()))
    );
    assert!(event.text.starts_with("owner1@example.com went over budget 635 times for component EWS"));
}

#[test]
fn each_minute_begins_with_the_first_call_over_budget() {
    let settings = WarningSettings::default();
    let mut watch = Watch::default();
    assert!(watch.close(second(1000)).is_none(), "nothing was seen");
    note(&mut watch, &owner(1), CAS, 101, second(1000));
    assert_eq!(events(&mut watch, &settings, 1000, second(1060)).len(), 1);
    note(&mut watch, &owner(1), CAS, 60, second(1070));
    note(&mut watch, &owner(1), CAS, 40, second(1129));
    assert!(events(&mut watch, &settings, 1000, second(1129)).is_empty());
    assert!(events(&mut watch, &settings, 1000, second(1130)).is_empty(), "100 in this one");
    assert!(watch.close(second(9999)).is_none(), "told once");
}

#[test]
fn the_most_often_over_budget_are_told_first() {
    let mut watch = Watch::default();
    for (number, times) in [(1, 200), (2, 900), (3, 500)] {
        note(&mut watch, &owner(number), CAS, times, second(0));
    }
    let told = events(&mut watch, &WarningSettings::default(), 1000, second(60));
    let counts: Vec<_> = told.iter().map(|event| field(event, "count")).collect();
    assert_eq!(counts, ["900", "500", "200"]);
}

#[test]
fn many_owners_over_budget_are_one_event_a_component() {
    let settings = WarningSettings::default();
    for (owners, budgets, told) in
        [(10, 40, true), (10, 41, false), (9, 9, false), (12, 5, true), (0, 0, false)]
    {
        let mut watch = Watch::default();
        for number in 0..owners {
            note(&mut watch, &owner(number), CAS, 1, second(0));
            watch.note(&owner(number), Component::Eas, Part::Cpu, "Foo", 2 * settings.watched, second(0));
        }
        let Some(minute) = watch.close(second(60)) else { continue };
        let of_ews = |component| if component == Component::Ews { budgets } else { 1_000_000 };
        let events = minute.events(&settings, of_ews);
        assert_eq!(events.len(), usize::from(told), "{owners} of {budgets}: {events:?}");
        let Some(event) = events.first() else { continue };
        assert_eq!((event.id, field(event, "component")), (EventId(2916), "EWS"));
        assert_eq!(field(event, "count"), owners.to_string());
        let unique = budgets.max(usize::try_from(owners).unwrap());
        assert_eq!(field(event, "unique_budgets"), unique.to_string(), "those who went meanwhile count too");
        assert_eq!(field(event, "percentage"), (owners * 100 / u32::try_from(unique).unwrap()).to_string());
    }
}

#[test]
fn both_can_be_switched_off() {
    let off = WarningSettings { over_budget: 0, many_owners: 0, ..WarningSettings::default() };
    let mut watch = Watch::default();
    for number in 0..20 {
        note(&mut watch, &owner(number), CAS, 1000, second(0));
    }
    assert!(events(&mut watch, &off, 20, second(60)).is_empty());
}

#[test]
fn no_more_owners_are_watched_than_may_be() {
    let settings = WarningSettings { watched: 10, ..WarningSettings::default() };
    let mut watch = Watch::default();
    for number in 0..1000 {
        watch.note(&owner(number), Component::Ews, CAS, "Foo", settings.watched, second(0));
    }
    watch.note(&owner(3), Component::Ews, CAS, "Foo", settings.watched, second(1));
    assert_eq!((watch.seen.len(), watch.unwatched), (10, 990), "who is watched already still is");
    let told = events(&mut watch, &settings, 10, second(60));
    assert_eq!(field(&told[0], "unwatched_calls"), "990");
}

#[test]
fn neither_the_processor_nor_a_slow_search_is_a_budget() {
    assert!(!is_over_budget(Part::Cpu) && !is_over_budget(Part::FastSearchTimeout));
    assert!(is_over_budget(CAS) && is_over_budget(Part::MaxConcurrency) && is_over_budget(Part::FindCount));
}

#[test]
fn a_long_charge_is_told_as_what_it_is() {
    let expected = Micros::SECOND.times(10);
    let cost =
        |ad, cas, address_book, rpc| [ad, cas, address_book, rpc].map(|s: u64| Micros::SECOND.times(s));
    for (cost, told) in [
        (cost(0, 10, 0, 10), None),
        (cost(0, 11, 0, 1), Some(("CAS", "11000"))),
        (cost(1, 14, 0, 12), Some(("MailboxRPC", "12000"))),
        (cost(12, 14, 0, 1), Some(("AD", "12000"))),
        (cost(1, 14, 13, 0), Some(("AddressBook", "13000"))),
    ] {
        let event = long_charge(&owner(1), Component::Ews, cost, expected);
        let seen = event.as_ref().map(|event| (field(event, "cost_type"), field(event, "charge_ms")));
        assert_eq!(seen, told);
        let Some(event) = event else { continue };
        assert_eq!((event.id, field(&event, "expected_ms")), (EventId(2917), "10000"));
        let warning = "no limit of that size exists, and nobody was throttled for it";
        assert!(event.text.contains(warning), "{}", event.text);
    }
}
