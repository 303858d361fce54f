//! The calls at each origin: how many run, how many may, and who waits for a place (T23).

use maud::{Markup, html};

use super::words;
use crate::types::{OriginCalls, OriginLoad, OwnerCalls};

/// The calls of all owners at each origin.
pub(super) fn table(origins: &[OriginCalls]) -> Markup {
    html! {
        div #origins {
            @if !origins.is_empty() {
                div.scroll tabindex="0" role="region" aria-label="Calls at the servers" {
                    table {
                        thead {
                            tr {
                                th scope="col" { "Calls at" } th.number scope="col" { "Run" }
                                th.number scope="col" { "May run" } th.number scope="col" { "Wait" }
                            }
                        }
                        tbody { @for OriginCalls { origin, load } in origins { (row(origin, load)) } }
                    }
                }
            }
        }
    }
}

fn row(origin: &str, load: &OriginLoad) -> Markup {
    html! {
        tr {
            th scope="row" { (origin) }
            td.number { (count(load.running)) } td.number { (limit(load)) } td.number { (count(load.waiting)) }
        }
    }
}

/// What of an owner's calls runs and waits at each origin.
pub(super) fn of_owner(origins: &[OwnerCalls]) -> Markup {
    html! {
        @if !origins.is_empty() {
            section.card aria-labelledby="at-servers" {
                h2 #at-servers { "Calls at the servers" }
                div.scroll tabindex="0" role="region" aria-label="His calls" {
                    table {
                        thead {
                            tr {
                                th scope="col" { "Server" } th.number scope="col" { "Run" } th.number scope="col" { "Wait" }
                                th.number scope="col" { "Beyond his share" } th.number scope="col" { "All that run" }
                                th.number scope="col" { "May run" } th.number scope="col" { "All that wait" }
                            }
                        }
                        tbody { @for calls in origins { (row_of_owner(calls)) } }
                    }
                }
            }
        }
    }
}

fn row_of_owner(calls: &OwnerCalls) -> Markup {
    html! {
        tr {
            th scope="row" { (calls.origin) }
            td.number { (count(calls.running)) } td.number { (count(calls.waiting)) }
            td.number { (words::duration(calls.ahead_ms)) } td.number { (count(calls.all.running)) }
            td.number { (limit(&calls.all)) } td.number { (count(calls.all.waiting)) }
        }
    }
}

fn limit(load: &OriginLoad) -> String {
    load.limit.map_or_else(|| "no limit".to_owned(), count)
}

fn count(calls: u32) -> String {
    words::count(calls.into())
}
