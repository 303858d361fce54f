//! The way of a whole find, from a client's bytes to a client's bytes, before a server made of this crate's own reader and
//! writer, against what the rules say in the plainest words.

use proptest::prelude::*;

use super::super::{Allowance, Judgement};
use super::*;
use crate::ews::peek::{Detail, FindView, Peek, PeekLimits};
use crate::ews::property::{Item, ItemId, ItemKind, Properties, Value};
use crate::ews::request::{Request, View};
use crate::ews::response::{Answer, Found, ResponseMessage};
use crate::ews::xml::{Element, Limits, Namespace};
use crate::ews::{Field, RequestReader, ResponseWriter};

/// The items 0, 1, 2 … of a folder.
fn items(numbers: std::ops::Range<u32>) -> Vec<Item> {
    let item = |number: u32| {
        let mut properties = Properties::default();
        properties.insert(
            Field::ITEM_ID.into(),
            Value::ItemId(ItemId { id: number.to_string(), change_key: None }),
        );
        Item { kind: ItemKind::Message, properties }
    };
    numbers.map(item).collect()
}

fn request(view: &str, folders: usize) -> String {
    let (soap, messages, types) = (Namespace::SOAP, Namespace::MESSAGES, Namespace::TYPES);
    let parents = "<t:DistinguishedFolderId Id='inbox'/>".repeat(folders);
    format!(
        "<s:Envelope xmlns:s='{soap}'><s:Header><t:RequestServerVersion xmlns:t='{types}' Version='Exchange2010'/></s:Header><s:Body>\
         <m:FindItem xmlns:m='{messages}' xmlns:t='{types}' Traversal='Shallow'><m:ItemShape><t:BaseShape>IdOnly</t:BaseShape>\
         </m:ItemShape>{view}<m:ParentFolderIds>{parents}</m:ParentFolderIds></m:FindItem></s:Body></s:Envelope>"
    )
}

fn view(request: &Request) -> &View {
    let Request::FindItem(find) = request else { panic!("{request:?} is no FindItem") };
    &find.view
}

/// One folder as the server answers it (E4).
fn found(total: u32, view: &View) -> Found<Item> {
    let page = |start: u32, max: Option<u32>| {
        start.min(total)..total.min(start.saturating_add(max.unwrap_or(u32::MAX)))
    };
    match view {
        View::Unpaged => Found { page: items(0..total), total, paging: Paging::Indexed(total), last: true },
        View::Indexed { max, offset, .. } => {
            let page = page(*offset, *max);
            let paging = Paging::Indexed(offset + (page.end - page.start));
            Found { last: page.end == total, page: items(page), total, paging }
        }
        View::Fractional { max, numerator, denominator } => {
            let page = page(total * numerator / denominator, *max);
            let paging = Paging::Fractional { numerator: page.end, denominator: total.max(1) };
            Found { last: page.end == total, page: items(page), total, paging }
        }
        View::Calendar { max, .. } | View::Contacts { max, .. } => {
            let page = page(0, *max);
            Found { last: page.end == total, page: items(page), total, paging: Paging::None }
        }
    }
}

fn read(document: &[u8]) -> Request {
    let mut reader = RequestReader::new(Limits::default());
    reader.feed(document).expect("it is well-formed");
    reader.finish().expect("it is a request").request
}

fn write(request: &Request, messages: Vec<ResponseMessage>) -> Vec<u8> {
    let (writer, mut out) = (ResponseWriter::new(request), Vec::new());
    writer.start(&mut out);
    for message in messages {
        writer.message(&message, &mut out);
    }
    writer.finish(&mut out);
    out
}

/// The budget of a caller who makes no other calls.
struct Budget {
    left: u32,
    /// What was taken for a folder that is held.
    held: u32,
}

impl Budget {
    /// Takes as many as there are, and at least so many.
    fn take(&mut self, wanted: u32, least: u32) -> u32 {
        let taken = wanted.min(self.left).max(least.min(wanted));
        self.left = self.left.saturating_sub(taken);
        taken
    }

    /// Keeps so many of what was taken for a folder that was held.
    fn give_back(&mut self, entries: Option<u32>) {
        self.left += self.held - entries.unwrap_or_default();
        self.held = 0;
    }
}

/// What the client gets through the gateway's parts, and the entries that were counted.
fn through_the_relay(document: &str, totals: &[u32], limit: u32, size: usize) -> (Vec<u8>, u32) {
    let mut peek = Peek::new(PeekLimits::default());
    peek.feed(document.as_bytes()).expect("it is readable");
    let Some(Detail::Find(find)) = peek.asked().map(|asked| &asked.detail) else { panic!("a find") };
    let paged = find.view.is_paged();
    let page = if paged { (limit / find.parents).max(1) } else { limit };
    let asked = match Allowance::new(Some(page)).ask(&find.view) {
        None => document.as_bytes().to_vec(),
        Some(max) => {
            [&find.rewritten(peek.kept(), max)[..], &document.as_bytes()[peek.kept().len()..]].concat()
        }
    };
    let request = read(&asked);
    let answers = totals.iter().map(|total| Ok(Answer::FoundItems(found(*total, view(&request)))));
    let answer = write(&request, answers.collect());
    let mut budget = Budget { left: limit, held: 0 };
    let (mut relay, mut out) = (Relay::new(RelayLimits::default()), Vec::new());
    for mut piece in answer.chunks(size) {
        while let Some(event) = relay.feed(&mut piece, &mut out) {
            match event {
                Event::Folder(folder) => {
                    let left = if paged { page } else { budget.left };
                    let decision = decide(&find.view, &folder, left, &mut budget, limit);
                    relay.decide(decision, &mut out);
                }
                Event::Counted { entries, .. } => budget.give_back(entries),
            }
        }
    }
    let entries = relay.entries();
    relay.end(&mut out);
    (out, entries)
}

fn decide(view: &FindView, folder: &RootFolder, left: u32, budget: &mut Budget, limit: u32) -> Decision {
    let error = |own: Option<u32>| too_many_found(own.unwrap_or(limit).into(), Version::Exchange2010);
    let allowance = Allowance::new(Some(left));
    match allowance.judge(view, folder) {
        Judgement::TooMany { limit } => Decision::TooMany(error(limit)),
        Judgement::Count { most } => {
            let most = budget.take(most, 0);
            budget.held = most;
            Decision::Hold { most, error: error(None), unpaged: *view == FindView::Unpaged }
        }
        Judgement::Pass { came } => {
            let taken = budget.take(came, u32::from(view.is_paged()));
            allowance.settle(view, folder, taken, || error(None))
        }
    }
}

/// What the client should get, folder by folder.
fn expected(asked: &View, totals: &[u32], limit: u32) -> Vec<ResponseMessage> {
    let folders = u32::try_from(totals.len()).expect("small");
    let share = (limit / folders).max(1);
    let mut left = limit;
    let error = || Err(too_many_found(limit.into(), Version::Exchange2010));
    let folder = |total: &u32| {
        let (mut whole, cut) = match asked {
            View::Unpaged | View::Calendar { .. } | View::Contacts { .. } => (found(*total, asked), None),
            View::Indexed { max, offset, base } => {
                let max = Some(max.map_or(share, |max| max.min(share)));
                (found(*total, asked), Some(View::Indexed { max, offset: *offset, base: *base }))
            }
            View::Fractional { max, numerator, denominator } => {
                let max = Some(max.map_or(share, |max| max.min(share)));
                let cut = View::Fractional { max, numerator: *numerator, denominator: *denominator };
                (found(*total, asked), Some(cut))
            }
        };
        if let Some(cut) = cut {
            return Ok(Answer::FoundItems(found(*total, &cut)));
        }
        let came = u32::try_from(whole.page.len()).expect("small");
        if came > left {
            return error();
        }
        left -= came;
        whole.paging = Paging::None;
        Ok(Answer::FoundItems(whole))
    };
    totals.iter().map(folder).collect()
}

fn tree(document: &[u8]) -> Element {
    Element::from_xml(document, &Limits::default()).expect("it is well-formed")
}

proptest! {
    #[test]
    fn a_find_gets_through_the_relay_what_the_rules_say(
        kind in 0u8..5,
        max in proptest::option::of(1u32..30),
        offset in 0u32..30,
        totals in proptest::collection::vec(0u32..30, 1..4),
        limit in 3u32..40,
        size in 1usize..3000,
    ) {
        let number = max.map(|max| format!(" MaxEntriesReturned='{max}'")).unwrap_or_default();
        let view_written = match kind {
            0 => String::new(),
            1 => format!("<m:IndexedPageItemView{number} Offset='{offset}' BasePoint='Beginning'/>"),
            2 => format!("<m:FractionalPageItemView{number} Numerator='{offset}' Denominator='30'/>"),
            3 => format!("<m:CalendarView{number} StartDate='2010-03-01T00:00:00Z' EndDate='2010-03-04T00:00:00Z'/>"),
            _ => format!("<m:ContactsView{number}/>"),
        };
        let document = request(&view_written, totals.len());
        let (out, entries) = through_the_relay(&document, &totals, limit, size);
        let asked = read(document.as_bytes());
        let expected = write(&asked, expected(view(&asked), &totals, limit));
        prop_assert_eq!(tree(&out), tree(&expected));
        prop_assert!(entries <= limit);
    }
}
