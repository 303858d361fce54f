use proptest::prelude::*;

use super::*;

fn site(number: usize) -> Arc<str> {
    char::from(b'A' + u8::try_from(number).unwrap()).to_string().into()
}

fn link(one: usize, other: usize, cost: u8) -> SiteLink {
    SiteLink { sites: [site(one), site(other)], cost: Cost::new(cost).unwrap() }
}

fn sites(count: usize) -> BTreeSet<Arc<str>> {
    (0..count).map(site).collect()
}

/// Every way without a circle, and the best of them: slow and obvious.
fn slowly(to: usize, links: &[(usize, usize, u8)]) -> Option<(u32, Vec<usize>)> {
    fn go(
        at: usize,
        to: usize,
        cost: u32,
        way: &[usize],
        links: &[(usize, usize, u8)],
        found: &mut Vec<(u32, Vec<usize>)>,
    ) {
        if at == to {
            found.push((cost, way.to_vec()));
            return;
        }
        for (one, other, price) in links {
            for (from, next) in [(*one, *other), (*other, *one)] {
                if from == at && next != 0 && !way.contains(&next) {
                    let longer = [way, &[next]].concat();
                    go(next, to, cost + u32::from(*price), &longer, links, found);
                }
            }
        }
    }
    let mut found = Vec::new();
    go(0, to, 0, &[], links, &mut found);
    found.into_iter().min_by_key(|(cost, way)| {
        let back: Vec<usize> = way.iter().rev().copied().collect();
        (*cost, way.len(), back)
    })
}

proptest! {
    #[test]
    fn the_way_is_the_best_of_all_ways(
        links in prop::collection::vec((0..6_usize, 0..6_usize, 1..4_u8), 1..12),
    ) {
        let links: Vec<_> = links.into_iter().filter(|(one, other, _)| one != other).collect();
        prop_assume!(!links.is_empty());
        let given: Vec<SiteLink> = links.iter().map(|(one, other, cost)| link(*one, *other, *cost)).collect();
        let paths = Paths::new(&site(0), &sites(6), &given);
        for to in 0..6 {
            let expected = slowly(to, &links)
                .map(|(cost, way)| Path { cost, sites: way.into_iter().map(site).collect() });
            prop_assert_eq!(paths.to(&site(to)), expected.as_ref(), "to {}", to);
        }
    }
}

#[test]
fn without_links_every_site_is_one_step_away() {
    let paths = Paths::new(&site(1), &sites(4), &[]);
    assert_eq!(paths.to("D"), Some(&Path { cost: 1, sites: vec![site(3)] }));
    assert_eq!(paths.to("B"), Some(&Path { cost: 0, sites: Vec::new() }));
}

#[test]
fn of_equal_ways_the_shorter_goes_and_then_the_one_whose_last_stop_has_the_first_name() {
    let check = |links: &[SiteLink], expected: &[&str]| {
        let paths = Paths::new(&site(0), &sites(5), links);
        let found: Vec<&str> = paths.to("E").unwrap().sites.iter().map(|site| &**site).collect();
        assert_eq!(found, expected);
    };
    // A–B–E and A–C–E cost the same.
    check(&[link(0, 2, 1), link(2, 4, 1), link(0, 1, 1), link(1, 4, 1)], &["B", "E"]);
    // The direct link costs as much as the two.
    check(&[link(0, 1, 1), link(1, 4, 1), link(0, 4, 2)], &["E"]);
    // Fewer links go before names; dear ones are avoided.
    check(&[link(0, 3, 1), link(3, 1, 1), link(0, 2, 2), link(1, 4, 1), link(2, 4, 1)], &["C", "E"]);
    check(&[link(0, 3, 1), link(3, 1, 1), link(1, 4, 1), link(0, 1, 9), link(2, 4, 9)], &["D", "B", "E"]);
}

#[test]
fn a_site_without_links_is_not_reached() {
    let paths = Paths::new(&site(0), &sites(3), &[link(0, 1, 1)]);
    assert_eq!(paths.to("C"), None);
}
