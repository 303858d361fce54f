use std::collections::BTreeSet;

use weir_units::Part;

use super::*;

#[test]
fn every_name_is_there_once_and_is_found_in_any_case() {
    let names: BTreeSet<&str> = Parameter::all().map(Parameter::name).collect();
    assert_eq!(names.len(), Parameter::COUNT);
    for parameter in Parameter::all() {
        assert_eq!(Parameter::from_name(parameter.name()), Some(parameter));
        assert_eq!(Parameter::from_name(&parameter.name().to_lowercase()), Some(parameter));
    }
    assert_eq!(Parameter::from_name("EWSFindCountLimits"), None);
    assert_eq!(Parameter::from_name(""), None);
}

#[test]
fn every_component_but_submission_has_the_five_shared_limits() {
    for component in Component::ALL {
        let shared = LIMITS.iter().filter(|(subject, _)| Parameter::of(Some(component), *subject).is_some());
        assert_eq!(shared.count(), if component == Component::Smtp { 0 } else { 5 }, "{component}");
    }
}

#[test]
fn a_shared_name_is_its_component_and_its_limit() {
    for (component, names) in PER_COMPONENT {
        for (name, (subject, _)) in names.into_iter().zip(LIMITS) {
            let time = TimePart::ALL.into_iter().find(|part| subject == Subject::Time(*part));
            let limit = time.map_or(Part::MaxConcurrency, Part::Time);
            assert_eq!(name, format!("{component}{limit}"));
        }
    }
}

#[test]
fn the_table_says_component_unit_range_and_whether_it_is_enforced() {
    let check = |name, component, unit, range, enforced| {
        let parameter = Parameter::from_name(name).unwrap();
        assert_eq!(parameter.component(), component, "{name}");
        assert_eq!(parameter.unit(), unit, "{name}");
        assert_eq!(parameter.range(), range, "{name}");
        assert_eq!(parameter.enforced(), enforced, "{name}");
    };
    let ews = Some(Component::Ews);
    check("EWSMaxConcurrency", ews, Unit::Count, (0, LARGEST), true);
    check("EWSPercentTimeInAddressBook", ews, Unit::PercentOfMinute, (0, LARGEST), true);
    check("EWSFastSearchTimeoutInSeconds", ews, Unit::Seconds, (0, LARGEST), true);
    check("EWSMaxSubscriptions", ews, Unit::Count, (0, LARGEST), true);
    check("EWSFindCountLimit", ews, Unit::Count, (0, LARGEST), true);
    check("IMAPMaxConcurrency", Some(Component::Imap), Unit::Count, (0, LARGEST), false);
    check("EASMaxDeviceDeletesPerMonth", Some(Component::Eas), Unit::PerMonth, (0, LARGEST), false);
    check("ExchangeMaxCmdlets", Some(Component::PowerShell), Unit::Count, (0, LARGEST), false);
    check("CPUStartPercent", None, Unit::PercentOfCpu, (0, 100), true);
    check("MessageRateLimit", None, Unit::PerMinute, (0, LARGEST), true);
    check("RecipientRateLimit", None, Unit::PerDay, (0, LARGEST), true);
    check("FairShareWeight", None, Unit::Weight, (1, 1000), false);
    check("ObserveOnly", None, Unit::Flag, (0, 1), true);
}
