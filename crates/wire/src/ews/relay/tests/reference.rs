//! Random answers and decisions against a slow reference that has the whole document before it.
//!
//! The reference holds an answer as a value, changes that value as the decision says, and writes it down; the relay gets
//! the answer written down, in random pieces. Both must come to the same bytes.

use proptest::prelude::*;

use super::*;
use crate::ews::xml::{Element, Limits};

/// An answer as a value.
#[derive(Clone, Debug)]
struct Answer {
    /// The front: a byte order mark, a declaration, comments.
    front: &'static str,
    /// The prefixes of messages and types, with their colons.
    prefixes: [&'static str; 2],
    /// Between all elements that hold no text.
    space: &'static str,
    operation: &'static str,
    messages: Vec<Message>,
}

#[derive(Clone, Debug)]
enum Message {
    Error,
    Replaced,
    Folder { attributes: Vec<(&'static str, String)>, quote: char, list: List },
}

#[derive(Clone, Debug)]
enum List {
    /// The `RootFolder` is an empty element.
    None,
    /// The list is an empty element.
    Empty,
    /// One of these for each entry; none where it is dropped.
    Entries(Vec<Option<&'static str>>),
}

impl Answer {
    fn write(&self) -> String {
        let [m, t] = self.prefixes;
        let declare = |prefix: &str, name: &str| match prefix.strip_suffix(':') {
            Some(prefix) => format!("xmlns:{prefix}='{name}'"),
            None => format!("xmlns='{name}'"),
        };
        let messages: String = self.messages.iter().map(|message| self.message(message)).collect();
        let (operation, space) = (self.operation, self.space);
        let (declared_m, declared_t) = (declare(m, "urn:m"), declare(t, "urn:t"));
        format!(
            "{}<s:Envelope xmlns:s='urn:s' {declared_t}>{space}<s:Body {}><{m}{operation}Response>{space}<{m}ResponseMessages>\
             {space}{messages}</{m}ResponseMessages></{m}{operation}Response>{space}</s:Body></s:Envelope>\n",
            self.front,
            if declared_m.starts_with("xmlns=") && declared_t.starts_with("xmlns=") {
                ""
            } else {
                &declared_m
            },
        )
    }

    fn message(&self, message: &Message) -> String {
        let (operation, space, [m, _]) = (self.operation, self.space, self.prefixes);
        let head = format!("<{m}ResponseCode>NoError</{m}ResponseCode>{space}");
        match message {
            Message::Error => format!(
                "<{m}{operation}ResponseMessage ResponseClass='Error'>{space}<{m}ResponseCode>ErrorItemNotFound</{m}ResponseCode>\
                 </{m}{operation}ResponseMessage>{space}"
            ),
            Message::Replaced => {
                let error = error();
                format!(
                    "<{m}{operation}ResponseMessage ResponseClass='Error'><{m}MessageText>{}</{m}MessageText><{m}ResponseCode>{}\
                     </{m}ResponseCode><{m}DescriptiveLinkKey>0</{m}DescriptiveLinkKey><{m}MessageXml \
                     xmlns:t=\"http://schemas.microsoft.com/exchange/services/2006/types\"><t:Value Name=\"PolicyLimit\">1000</t:Value>\
                     </{m}MessageXml></{m}{operation}ResponseMessage>{space}",
                    error.text, error.code
                )
            }
            Message::Folder { attributes, quote, list } => format!(
                "<{m}{operation}ResponseMessage ResponseClass='Success'>{space}{head}{}{space}</{m}{operation}ResponseMessage>{space}",
                self.folder(attributes, *quote, list)
            ),
        }
    }

    fn folder(&self, attributes: &[(&'static str, String)], quote: char, list: &List) -> String {
        let (space, [m, t]) = (self.space, self.prefixes);
        let name = if self.operation == "FindItem" { "Items" } else { "Folders" };
        // What is added is written in the way of the writer, what is there keeps its own.
        let written = |(name, value): &(&str, String)| match name.strip_prefix('+') {
            Some(name) => [" ", name, "=\"", value, "\""].concat(),
            None => format!(" {name}={quote}{value}{quote}"),
        };
        let attributes = attributes.iter().map(written).collect::<Vec<_>>().concat();
        match list {
            List::None => format!("<{m}RootFolder{attributes}/>"),
            List::Empty => format!("<{m}RootFolder{attributes}>{space}<{t}{name}/></{m}RootFolder>"),
            List::Entries(entries) => {
                let entries: String = entries
                    .iter()
                    .map(|entry| {
                        [&entry.map(|entry| entry.replace("t:", t)).unwrap_or_default(), space].concat()
                    })
                    .collect();
                format!(
                    "<{m}RootFolder{attributes}>{space}<{t}{name}>{space}{entries}</{t}{name}></{m}RootFolder>"
                )
            }
        }
    }

    /// The answer after a decision on each folder, and how many entries it has.
    fn decided(&self, decisions: &[Decision]) -> Self {
        let decision = |index: usize| &decisions[index % decisions.len()];
        let messages =
            self.messages.iter().enumerate().map(|(index, message)| message.decided(decision(index)));
        Self { messages: messages.collect(), ..self.clone() }
    }
}

impl Message {
    fn decided(&self, decision: &Decision) -> Self {
        let Self::Folder { attributes, quote, list } = self else { return self.clone() };
        let (mut attributes, mut list) = (attributes.clone(), list.clone());
        let count = if let List::Entries(entries) = &list { entries.len() } else { 0 };
        match decision {
            Decision::Pass => {}
            Decision::Unpaged => attributes.retain(|(name, _)| *name != "IndexedPagingOffset"),
            Decision::TooMany(_) => return Self::Replaced,
            Decision::Hold { most, .. } if count > usize::try_from(*most).expect("it is small") => {
                return Self::Replaced;
            }
            Decision::Hold { unpaged, .. } => {
                attributes.retain(|(name, _)| *name != "IndexedPagingOffset" || !unpaged);
            }
            Decision::Keep(Keep { skip, entries, next }) => {
                set(&mut attributes, "IncludesLastItemInRange", "+IncludesLastItemInRange", "false");
                if let Paging::Indexed(offset) = next {
                    set(&mut attributes, "IndexedPagingOffset", "+IndexedPagingOffset", &offset.to_string());
                }
                if let List::Entries(all) = &mut list {
                    let (skip, entries) =
                        (usize::try_from(*skip).expect("small"), usize::try_from(*entries).expect("small"));
                    for (place, entry) in all.iter_mut().enumerate() {
                        if place < skip || place >= skip + entries {
                            *entry = None;
                        }
                    }
                }
            }
        }
        Self::Folder { attributes, quote: *quote, list }
    }
}

fn set(attributes: &mut Vec<(&'static str, String)>, name: &str, added: &'static str, value: &str) {
    match attributes.iter_mut().find(|(known, _)| *known == name) {
        Some((_, old)) => value.clone_into(old),
        None => attributes.insert(0, (added, value.to_owned())),
    }
}

const ENTRIES: [&str; 6] = [
    "<t:Message><t:Subject>a &lt; b</t:Subject></t:Message>",
    "<t:Task/>",
    "<t:Message><t:Items><t:Inner/><t:Inner></t:Inner></t:Items></t:Message>",
    "<t:CalendarItem a='>' b=\"/>\"><![CDATA[</t:CalendarItem>]]></t:CalendarItem>",
    "<t:Folder><!-- </t:Folder> <t:Folders> --><t:DisplayName>\u{e4}\u{20ac}\u{1f600}</t:DisplayName></t:Folder>",
    "<t:Contact><?x </t:Contact>?>\n</t:Contact >",
];

fn any_list() -> impl Strategy<Value = List> {
    prop_oneof![
        1 => Just(List::None),
        1 => Just(List::Empty),
        6 => proptest::collection::vec(proptest::sample::select(&ENTRIES[..]).prop_map(Some), 0..7).prop_map(List::Entries),
    ]
}

fn any_message() -> impl Strategy<Value = Message> {
    let attribute = |name: &'static str, value: BoxedStrategy<String>| {
        proptest::option::weighted(0.8, value.prop_map(move |value| (name, value)))
    };
    let number = || (0u32..2000).prop_map(|number| number.to_string()).boxed();
    let attributes = (
        attribute("IndexedPagingOffset", number()),
        attribute("TotalItemsInView", number()),
        attribute("IncludesLastItemInRange", any::<bool>().prop_map(|last| last.to_string()).boxed()),
        attribute("Other", Just("&amp;>".to_owned()).boxed()),
    );
    let attributes = attributes
        .prop_map(|(offset, total, last, other)| {
            [offset, total, last, other].into_iter().flatten().collect::<Vec<_>>()
        })
        .prop_shuffle();
    prop_oneof![
        1 => Just(Message::Error),
        5 => (attributes, prop_oneof![Just('\''), Just('"')], any_list())
            .prop_map(|(attributes, quote, list)| Message::Folder { attributes, quote, list }),
    ]
}

fn any_answer() -> impl Strategy<Value = Answer> {
    let front = prop_oneof![
        Just(""),
        Just("\u{feff}<?xml version='1.0' encoding='utf-8'?>\r\n"),
        Just("<!-- <s:Envelope> -->\n"),
    ];
    let prefixes = prop_oneof![Just(["m:", "t:"]), Just(["", "t:"]), Just(["x1:", ""]), Just(["t:", "m:"])];
    let space =
        prop_oneof![Just(""), Just("\n  "), Just("<!-- <Items/> -->"), Just("\t<?pi <m:RootFolder>?>")];
    let operation = prop_oneof![Just("FindItem"), Just("FindFolder")];
    (front, prefixes, space, operation, proptest::collection::vec(any_message(), 0..4)).prop_map(
        |(front, prefixes, space, operation, messages)| Answer {
            front,
            prefixes,
            space,
            operation,
            messages,
        },
    )
}

fn any_decision() -> impl Strategy<Value = Decision> {
    prop_oneof![
        Just(Decision::Pass),
        Just(Decision::Unpaged),
        (0u32..3, 0u32..5, proptest::option::of(0u32..999)).prop_map(|(skip, entries, next)| {
            Decision::Keep(Keep { skip, entries, next: next.map_or(Paging::None, Paging::Indexed) })
        }),
        (0u32..6, any::<bool>()).prop_map(|(most, unpaged)| Decision::Hold { most, error: error(), unpaged }),
        Just(Decision::TooMany(error())),
    ]
}

/// The document in pieces of these sizes.
fn pieces<'a>(mut document: &'a [u8], sizes: &[usize]) -> Vec<&'a [u8]> {
    let mut pieces = Vec::new();
    for size in sizes.iter().cycle() {
        if document.is_empty() {
            break;
        }
        let (piece, rest) = document.split_at((*size).min(document.len()));
        pieces.push(piece);
        document = rest;
    }
    pieces
}

/// Entries in all lists, as an element tree has them.
fn entries(document: &str) -> usize {
    let root = Element::from_xml(document.as_bytes(), &Limits::default()).expect("it is well-formed");
    let messages = root
        .child("Body")
        .and_then(|body| body.children.first()?.child("ResponseMessages"))
        .expect("an answer");
    let lists = messages.children.iter().filter_map(|message| message.child("RootFolder")?.children.first());
    lists.map(|list| list.children.len()).sum()
}

proptest! {
    #[test]
    fn the_relay_comes_to_the_same_bytes_as_the_reference(
        answer in any_answer(),
        decisions in proptest::collection::vec(any_decision(), 1..4),
        sizes in proptest::collection::vec(prop_oneof![1usize..4, 1usize..200], 1..20),
    ) {
        let document = answer.write();
        let expected = answer.decided(&decisions).write();
        let decide = |folder: &RootFolder| decisions[usize::try_from(folder.index).expect("small") % decisions.len()].clone();
        let relayed = relay(&RelayLimits::default(), pieces(document.as_bytes(), &sizes), decide);
        prop_assert_eq!(usize::try_from(relayed.entries).expect("small"), entries(&expected));
        prop_assert_eq!(relayed.out, expected);
        let folders = answer.messages.iter().filter(|message| matches!(message, Message::Folder { .. })).count();
        prop_assert_eq!(relayed.folders.len(), folders);
    }
}
