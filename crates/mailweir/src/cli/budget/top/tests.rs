use weir_admin::types::{ComponentBudget, PartBudget, TopBudget};

use super::listing;

fn top(owner: &str, share: Option<u64>) -> TopBudget {
    let part = |name: &str, used_ms| PartBudget {
        part: name.to_owned(),
        allowance_ms: Some(54_000),
        used_ms,
        remainder_ms: Some(0),
        used_percent: 90,
    };
    TopBudget {
        owner: owner.to_owned(),
        policy: Some("Foo".to_owned()),
        observe_only: share.is_none(),
        part: share.map(|_| "PercentTimeInAddressBook".to_owned()),
        share_percent: share,
        budget: ComponentBudget {
            component: "EWS".to_owned(),
            active: true,
            running: 10,
            max_concurrency: Some(10),
            waiting: 100,
            hanging: 0,
            max_hanging: Some(10),
            parts: vec![part("PercentTimeInCAS", 53_900), part("PercentTimeInMailboxRPC", 36_000)],
            find_count: 0,
            find_count_limit: Some(1_000),
            subscriptions: 0,
            max_subscriptions: None,
        },
    }
}

#[test]
fn the_listing_fits_on_a_page() {
    let long = "somebody-with-a-very-long-name-indeed@department.example.com";
    let text = listing(&[top(long, Some(203)), top("jane.doe@example.com", None)]);
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines.len(), 4);
    assert!(lines.iter().all(|line| line.chars().count() <= 100), "{text}");
    assert!(
        lines[1].starts_with("somebody-with-a-very-long…  EWS  203 %  PercentTimeInAddressBook  "),
        "{text}"
    );
    let cells: Vec<&str> = lines[2].split_whitespace().collect();
    assert_eq!(cells, ["jane.doe@example.com", "EWS", "(-)", "-", "53900", "ms", "36000", "ms", "10", "100"]);
    assert!(lines[3].contains("only observed"));
    assert_eq!(listing(&[]), "nobody has used anything in the last minute\n");
}
