//! The cheapest way from this site to another.
//!
//! Of all ways over the site links the one of least cost is taken, of those the one with the fewest links, and of those
//! the one whose last stop before the destination has the first name – and so on back from there. Where no link is
//! configured, every site is one link of cost 1 away.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::settings::SiteLink;
use super::space::Cost;

/// A way to another site.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Path {
    /// What it costs.
    pub cost: u32,
    /// The sites behind this one, the destination last; none for this site itself.
    pub sites: Vec<Arc<str>>,
}

/// The ways from one site to all that can be reached.
#[derive(Clone, Debug)]
pub struct Paths(BTreeMap<Arc<str>, Path>);

/// What is known of a site while ways are compared: cost, links, and the site before it.
type Best = (u32, u32, Option<Arc<str>>);

impl Paths {
    /// The cheapest ways from `own` to each of `sites`.
    pub fn new(own: &Arc<str>, sites: &BTreeSet<Arc<str>>, links: &[SiteLink]) -> Self {
        let direct: Vec<SiteLink>;
        let links = if links.is_empty() {
            let others = sites.iter().filter(|site| *site != own);
            let link = |site: &Arc<str>| SiteLink { sites: [own.clone(), site.clone()], cost: Cost::DEFAULT };
            direct = others.map(link).collect();
            &direct
        } else {
            links
        };
        let best = compare(own, sites.len(), links);
        Self(best.iter().map(|(site, (cost, ..))| (site.clone(), walk(site, *cost, &best))).collect())
    }

    /// The way to `site`; nothing where no links lead there.
    pub fn to(&self, site: &str) -> Option<&Path> {
        self.0.get(site)
    }
}

/// Follows every link until no way gets better, which takes at most as many rounds as there are sites.
fn compare(own: &Arc<str>, sites: usize, links: &[SiteLink]) -> BTreeMap<Arc<str>, Best> {
    let mut best: BTreeMap<Arc<str>, Best> = BTreeMap::from([(own.clone(), (0, 0, None))]);
    for _ in 0..sites {
        let before = best.clone();
        for SiteLink { sites: [one, other], cost } in links {
            for (from, to) in [(one, other), (other, one)] {
                if let Some((so_far, hops, _)) = before.get(from) {
                    let found = (so_far + u32::from(cost.count()), hops + 1, Some(from.clone()));
                    if best.get(to).is_none_or(|known| found < *known) {
                        best.insert(to.clone(), found);
                    }
                }
            }
        }
        if before == best {
            break;
        }
    }
    best
}

fn walk(site: &Arc<str>, cost: u32, best: &BTreeMap<Arc<str>, Best>) -> Path {
    let mut sites = Vec::new();
    let mut at = site;
    // Costs fall with every step back, so that this ends at the site without one before it.
    while let Some((_, _, Some(before))) = best.get(at) {
        sites.push(at.clone());
        at = before;
    }
    sites.reverse();
    Path { cost, sites }
}

#[cfg(test)]
mod tests;
