use std::collections::BTreeSet;

use super::*;
use crate::{Admission, Limits, Policy, Rules};

const IDLE_FOR_LONG: Tick = Tick::new(1_000_000_000);

fn owner(number: u32) -> Owner {
    Owner::new(&format!("user{number}@example.com"))
}

fn table(bound: usize, owners: u32) -> Budgets<()> {
    let budgets = Budgets::new(bound);
    for number in 0..owners {
        budgets.of(&owner(number), Component::Ews, Tick::START).unwrap();
    }
    budgets
}

fn running(account: &Account<()>, now: Tick) -> crate::Call {
    let limits = Limits::resolve(&Policy::new(), &Policy::fallback());
    match account.budget.admit(limits.component(account.component), &Rules::default(), now) {
        Admission::Run(call) => call,
        other @ (Admission::Wait(..) | Admission::Refuse(_)) => panic!("{other:?}"),
    }
}

#[test]
fn an_owner_has_one_budget_in_each_component() {
    let budgets = Budgets::<()>::new(100);
    let of = |name: &str, component| budgets.of(&Owner::new(name), component, Tick::START).unwrap();
    let first = of("john@example.com", Component::Ews);
    assert!(Arc::ptr_eq(&first, &of("John@Example.com", Component::Ews)));
    assert!(!Arc::ptr_eq(&first, &of("john@example.com", Component::Owa)));
    assert!(!Arc::ptr_eq(&first, &of("jane@example.com", Component::Ews)));
    assert_eq!(budgets.len(), 3);
    let components = budgets.all_of(&Owner::new("john@example.com"));
    assert_eq!(
        components.iter().map(|account| account.component).collect::<Vec<_>>(),
        [Component::Ews, Component::Owa]
    );
    assert!(budgets.peek(&Owner::new("ken@example.com"), Component::Ews).is_none());
}

#[test]
fn the_busy_budgets_are_those_in_use_or_used_in_the_last_minute() {
    let budgets = table(1_000, 500);
    let held = running(&budgets.of(&owner(1), Component::Ews, Tick::START).unwrap(), Tick::START);
    let busy = |now: Tick| {
        let mut owners = BTreeSet::new();
        budgets.for_each_busy(now, |account| {
            assert!(budgets.peek(&account.owner, account.component).is_some(), "nothing is locked meanwhile");
            owners.insert(account.owner.clone());
        });
        owners
    };
    let recent = budgets.of(&owner(2), Component::Ews, Tick::START).unwrap();
    let call = running(&recent, Tick::new(990_000_000));
    let _ = recent.budget.end(call, Tick::new(995_000_000));
    assert_eq!(busy(IDLE_FOR_LONG), BTreeSet::from([owner(1), owner(2)]));
    let later = IDLE_FOR_LONG.plus(Micros::MINUTE.times(2));
    assert_eq!(busy(later), BTreeSet::from([owner(1)]), "its call still runs");
    let _ = budgets.of(&owner(1), Component::Ews, later).unwrap().budget.end(held, later);
    assert_eq!(busy(later.plus(Micros::MINUTE.times(2))), BTreeSet::new());
}

#[test]
fn a_sweep_forgets_what_is_idle_and_keeps_what_is_referred_to_held_or_recent() {
    let budgets = table(100, 10);
    let referred = budgets.of(&owner(0), Component::Ews, Tick::START).unwrap();
    let held = running(&budgets.of(&owner(1), Component::Ews, Tick::START).unwrap(), Tick::START);
    let recent = budgets.of(&owner(2), Component::Ews, Tick::START).unwrap();
    let call = running(&recent, Tick::new(990_000_000));
    let _ = recent.budget.end(call, Tick::new(995_000_000));
    drop(recent);
    let subscribed = budgets.of(&owner(3), Component::Ews, Tick::START).unwrap();
    let limits = Limits::resolve(&Policy::new(), &Policy::fallback());
    subscribed.budget.add_subscription(limits.component(Component::Ews)).unwrap();
    drop(subscribed);

    assert_eq!(budgets.sweep(IDLE_FOR_LONG), 6);
    let mut left = BTreeSet::new();
    budgets.for_each(|account| {
        left.insert(account.owner.clone());
    });
    assert_eq!(left, (0..4).map(owner).collect());
    assert_eq!(budgets.len(), 4);

    drop(referred);
    assert_eq!(budgets.sweep(IDLE_FOR_LONG), 1);
    let account = budgets.peek(&owner(1), Component::Ews).unwrap();
    let _ = account.budget.end(held, IDLE_FOR_LONG);
}

#[test]
fn a_budget_that_was_used_a_minute_ago_is_kept_for_five() {
    let budgets = table(100, 1);
    let account = budgets.of(&owner(0), Component::Ews, Tick::START).unwrap();
    let call = running(&account, Tick::START);
    let _ = account.budget.end(call, Tick::START);
    drop(account);
    assert_eq!(budgets.sweep(Tick::new(299_000_000)), 0);
    assert_eq!(budgets.sweep(Tick::new(301_000_000)), 1);
    assert!(budgets.is_empty());
}

#[test]
fn a_full_table_forgets_idle_budgets_and_else_refuses() {
    let budgets = table(3, 3);
    let kept: Vec<_> = (0..3).map(|n| budgets.of(&owner(n), Component::Ews, Tick::START).unwrap()).collect();
    let late = Tick::new(70_000_000);
    let refused = budgets.of(&owner(3), Component::Ews, late).unwrap_err();
    assert_eq!(refused, TableFull { bound: 3 });
    assert!(budgets.of(&owner(2), Component::Ews, late).is_ok(), "who is in stays in");
    drop(kept);
    assert!(budgets.of(&owner(3), Component::Ews, late).is_err(), "one sweep a slice");
    let later = Tick::new(75_000_000);
    assert!(budgets.of(&owner(3), Component::Ews, later).is_ok());
    assert_eq!(budgets.len(), 1);
}

#[test]
fn many_threads_that_ask_for_one_owner_get_one_budget() {
    let budgets = Budgets::<()>::new(100);
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                for number in 0..50 {
                    budgets.of(&owner(number), Component::Ews, Tick::START).unwrap();
                }
            });
        }
    });
    assert_eq!(budgets.len(), 50);
}
