#![allow(clippy::wildcard_enum_match_arm, reason = "a test wants one answer and shows any other")]

use weir_wire::ews::request::{GetServerTimeZones, Request};
use weir_wire::ews::response::Answer;
use weir_wire::ews::time_zone;
use weir_wire::ews::xml::Element;

use super::zones::cities;
use crate::test_world::{World, john};

async fn zones(ids: &[&str], full: bool) -> Vec<Element> {
    let world = World::new();
    let ids = ids.iter().map(|id| (*id).to_owned()).collect();
    let request = Request::GetServerTimeZones(GetServerTimeZones { ids, full });
    match world.one(&john(), request).await.unwrap() {
        Answer::TimeZones(zones) => zones,
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn all_zones_are_listed_with_names_that_people_know() {
    let all = zones(&[], false).await;
    assert_eq!(all.len(), time_zone::ALL.len());
    assert!(all.iter().all(|zone| zone.children.is_empty()));
    let berlin = all.iter().find(|zone| zone.attribute("Id") == Some("W. Europe Standard Time")).unwrap();
    assert_eq!(
        berlin.attribute("Name"),
        Some("(UTC+01:00) Amsterdam, Berlin, Bern, Rome, Stockholm, Vienna")
    );
    for (id, _) in time_zone::ALL {
        assert!(cities(id) != *id || *id == "UTC", "{id} has no cities");
    }
}

#[tokio::test]
async fn names_show_the_offset_of_standard_time() {
    let cases = [
        ("UTC", "(UTC) Coordinated Universal Time"),
        ("India Standard Time", "(UTC+05:30) Chennai, Kolkata, Mumbai, New Delhi"),
        ("Newfoundland Standard Time", "(UTC-03:30) Newfoundland"),
        ("AUS Eastern Standard Time", "(UTC+10:00) Canberra, Melbourne, Sydney"),
        ("Pacific Standard Time", "(UTC-08:00) Pacific Time (US & Canada)"),
    ];
    for (id, name) in cases {
        assert_eq!(zones(&[id], false).await[0].attribute("Name"), Some(name));
    }
    assert!(zones(&["Middle Earth Standard Time"], false).await.is_empty());
}

#[tokio::test]
async fn the_rules_of_a_zone_are_told_where_they_are_wanted() {
    let zone = zones(&["W. Europe Standard Time"], true).await.remove(0);
    let periods = zone.child("Periods").unwrap();
    let period = |index: usize| {
        let period = &periods.children[index];
        (period.attribute("Name").unwrap(), period.attribute("Bias").unwrap())
    };
    assert_eq!((period(0), period(1)), (("Standard", "-PT1H"), ("Daylight", "-PT2H")));
    let group = zone.child("TransitionsGroups").unwrap().child("TransitionsGroup").unwrap();
    let rule = |index: usize| {
        let change = &group.children[index];
        ["TimeOffset", "Month", "DayOfWeek", "Occurrence"].map(|name| change.child_text(name).unwrap())
    };
    assert_eq!(rule(0), ["PT2H0M", "3", "Sunday", "-1"]);
    assert_eq!(rule(1), ["PT3H0M", "10", "Sunday", "-1"]);
    let transition = zone.child("Transitions").unwrap().child("Transition").unwrap();
    assert_eq!(transition.child("To").unwrap().attribute("Kind"), Some("Group"));
}

#[tokio::test]
async fn a_rule_of_the_south_and_a_zone_without_summer_are_told_too() {
    let sydney = zones(&["AUS Eastern Standard Time"], true).await.remove(0);
    let group = sydney.child("TransitionsGroups").unwrap().child("TransitionsGroup").unwrap();
    let months: Vec<_> = group.children.iter().map(|change| change.child_text("Month").unwrap()).collect();
    assert_eq!(months, ["10", "4"]);
    let tokyo = zones(&["Tokyo Standard Time"], true).await.remove(0);
    assert_eq!(tokyo.child("Periods").unwrap().children.len(), 1);
    assert_eq!(tokyo.child("Periods").unwrap().children[0].attribute("Bias"), Some("-PT9H"));
}
