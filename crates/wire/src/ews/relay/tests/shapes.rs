//! Shapes that servers answer in.

use super::*;

/// An answer in the prefixes and with the order of attributes of the embedded server.
fn answer(messages: &str) -> String {
    format!(
        "<?xml version=\"1.0\" encoding=\"utf-8\"?><s:Envelope xmlns:s=\"http://schemas.xmlsoap.org/soap/envelope/\">\
         <s:Header><t:ServerVersionInfo MajorVersion=\"14\" xmlns:t=\"http://schemas.microsoft.com/exchange/services/2006/types\"/>\
         </s:Header><s:Body xmlns:xsi=\"http://www.w3.org/2001/XMLSchema-instance\"><m:FindItemResponse \
         xmlns:m=\"http://schemas.microsoft.com/exchange/services/2006/messages\" \
         xmlns:t=\"http://schemas.microsoft.com/exchange/services/2006/types\"><m:ResponseMessages>{messages}\
         </m:ResponseMessages></m:FindItemResponse></s:Body></s:Envelope>"
    )
}

const SUCCESS: &str =
    "<m:FindItemResponseMessage ResponseClass=\"Success\"><m:ResponseCode>NoError</m:ResponseCode>";
const END: &str = "</m:FindItemResponseMessage>";
const ERROR: &str = "<m:FindItemResponseMessage ResponseClass=\"Error\"><m:MessageText>You have exceeded the maximum number of objects \
    that can be returned for the find operation. Use paging to reduce the result size and try your request again.</m:MessageText>\
    <m:ResponseCode>ErrorExceededFindCountLimit</m:ResponseCode><m:DescriptiveLinkKey>0</m:DescriptiveLinkKey><m:MessageXml \
    xmlns:t=\"http://schemas.microsoft.com/exchange/services/2006/types\"><t:Value Name=\"PolicyLimit\">1000</t:Value></m:MessageXml>\
    </m:FindItemResponseMessage>";

fn item(name: &str) -> String {
    format!(
        "<t:Message><t:ItemId Id=\"{name}\"/><t:Subject>{name} &amp; <![CDATA[<t:Items>]]></t:Subject></t:Message>"
    )
}

fn folder(attributes: &str, items: &str) -> String {
    format!("{SUCCESS}<m:RootFolder {attributes}><t:Items>{items}</t:Items></m:RootFolder>{END}")
}

fn root(total: u32, next: u32, last: bool) -> RootFolder {
    RootFolder { index: 0, total: Some(total), next: Paging::Indexed(next), last: Some(last) }
}

#[test]
fn what_passes_passes_byte_for_byte() {
    let items = [item("a"), item("b")].concat();
    let two =
        folder("IndexedPagingOffset=\"2\" TotalItemsInView=\"2\" IncludesLastItemInRange=\"true\"", &items);
    let relayed = relay_cut(&answer(&two), |_| Decision::Pass);
    assert_eq!((relayed.out, relayed.entries), (answer(&two), 2));
    assert_eq!(relayed.folders, [root(2, 2, true)]);
}

#[test]
fn attributes_are_read_in_any_order_quotes_and_spelling() {
    for (attributes, expected) in [
        ("IncludesLastItemInRange='0'\n TotalItemsInView = '6' IndexedPagingOffset=\"1\"", root(6, 1, false)),
        ("TotalItemsInView='6'", RootFolder { next: Paging::None, last: None, ..root(6, 0, true) }),
        (
            "AbsoluteDenominator='6' NumeratorOffset='3' IncludesLastItemInRange=' true '",
            RootFolder {
                total: None,
                next: Paging::Fractional { numerator: 3, denominator: 6 },
                ..root(0, 0, true)
            },
        ),
        (
            "a:TotalItemsInView='9' TotalItemsInView='many' IndexedPagingOffset='' IncludesLastItemInRange='True'",
            RootFolder { index: 0, total: None, next: Paging::None, last: None },
        ),
    ] {
        let answer = answer(&folder(attributes, ""));
        let relayed = relay_cut(&answer, |_| Decision::Pass);
        assert_eq!((relayed.folders, relayed.out), (vec![expected], answer), "{attributes}");
    }
}

#[test]
fn a_surplus_is_dropped_and_the_client_told_where_to_go_on() {
    let items: String = ["a", "b", "c"].map(item).join("\n<!-- between -->");
    let three =
        folder("TotalItemsInView='6' IndexedPagingOffset='13' IncludesLastItemInRange='true'", &items);
    let one = folder(
        "TotalItemsInView='6' IndexedPagingOffset='11' IncludesLastItemInRange='false'",
        &[&item("a"), "\n<!-- between -->\n<!-- between -->"].concat(),
    );
    let relayed = relay_cut(&answer(&three), |_| keep(1, 11));
    assert_eq!((relayed.out, relayed.entries), (answer(&one), 1));
    let last_two = folder(
        "TotalItemsInView='6' IndexedPagingOffset='12' IncludesLastItemInRange='false'",
        &["\n<!-- between -->", &item("b"), "\n<!-- between -->", &item("c")].concat(),
    );
    let skip = Decision::Keep(Keep { skip: 1, entries: 2, next: Paging::Indexed(12) });
    assert_eq!(relay_cut(&answer(&three), |_| skip.clone()).out, answer(&last_two));
}

#[test]
fn missing_attributes_are_added_where_a_page_is_cut() {
    let next = Paging::Fractional { numerator: 1, denominator: 2 };
    let relayed = relay_cut(&answer(&folder("TotalItemsInView='2'", &item("a"))), |_| {
        Decision::Keep(Keep { skip: 0, entries: 0, next })
    });
    let added = "NumeratorOffset=\"1\" AbsoluteDenominator=\"2\" IncludesLastItemInRange=\"false\" TotalItemsInView='2'";
    assert_eq!(relayed.out, answer(&folder(added, "")));
}

#[test]
fn an_unpaged_answer_gets_its_unpaged_form_back() {
    let paged = folder(
        "IndexedPagingOffset=\"1\" TotalItemsInView=\"1\"  IncludesLastItemInRange=\"true\"",
        &item("a"),
    );
    let relayed = relay_cut(&answer(&paged), |_| Decision::Unpaged);
    let unpaged = folder("TotalItemsInView=\"1\"  IncludesLastItemInRange=\"true\"", &item("a"));
    assert_eq!(relayed.out, answer(&unpaged));
}

#[test]
fn too_many_make_an_error_of_their_message_alone() {
    let few =
        folder("IndexedPagingOffset='1' TotalItemsInView='1' IncludesLastItemInRange='true'", &item("a"));
    let many = folder(
        "IndexedPagingOffset='2' TotalItemsInView='9' IncludesLastItemInRange='false'",
        &[item("b"), item("c")].concat(),
    );
    let denied = "<m:FindItemResponseMessage ResponseClass=\"Error\"><m:MessageText>No.</m:MessageText>\
                  <m:ResponseCode>ErrorAccessDenied</m:ResponseCode></m:FindItemResponseMessage>";
    let decide =
        |folder: &RootFolder| if folder.index == 1 { Decision::TooMany(error()) } else { Decision::Pass };
    let relayed = relay_cut(&answer(&[&few, &many, denied, &few].concat()), decide);
    assert_eq!(relayed.out, answer(&[&few, ERROR, denied, &few].concat()));
    assert_eq!(relayed.folders.iter().map(|folder| folder.index).collect::<Vec<_>>(), [0, 1, 3]);
    assert_eq!(relayed.entries, 2);
}

#[test]
fn an_error_keeps_to_the_prefix_and_the_declarations_of_its_message() {
    let message = "<FindFolderResponseMessage xmlns=\"http://schemas.microsoft.com/exchange/services/2006/messages\" id='1'>\n\
                   <ResponseCode>NoError</ResponseCode><RootFolder TotalItemsInView='5'/></FindFolderResponseMessage >";
    let wrap = |message: &str| {
        format!(
            "<Envelope><Body><FindFolderResponse><ResponseMessages>{message}</ResponseMessages></FindFolderResponse></Body></Envelope>"
        )
    };
    let relayed =
        relay_cut(&wrap(message), |_| Decision::TooMany(ErrorMessage::new("ErrorServerBusy", "a < b")));
    let expected = "<FindFolderResponseMessage ResponseClass=\"Error\" xmlns=\"http://schemas.microsoft.com/exchange/services/2006/messages\" id='1'>\
        <MessageText>a &lt; b</MessageText><ResponseCode>ErrorServerBusy</ResponseCode><DescriptiveLinkKey>0</DescriptiveLinkKey>\
        </FindFolderResponseMessage>";
    assert_eq!(relayed.out, wrap(expected));
}

#[test]
fn what_is_held_passes_with_exactly_the_limit_and_not_with_one_more() {
    let of = |count: usize| {
        folder(
            "TotalItemsInView='9' IndexedPagingOffset='9' IncludesLastItemInRange='false'",
            &item("a").repeat(count),
        )
    };
    let hold = |most, unpaged| move |_: &RootFolder| Decision::Hold { most, error: error(), unpaged };
    let relayed = relay_cut(&answer(&of(3)), hold(3, false));
    assert_eq!((relayed.out, relayed.counted, relayed.entries), (answer(&of(3)), vec![(0, Some(3))], 3));
    let relayed = relay_cut(&answer(&[of(4), of(2)].concat()), hold(3, true));
    let unpaged = of(2).replace(" IndexedPagingOffset='9'", "");
    assert_eq!(relayed.out, answer(&[ERROR, &unpaged].concat()));
    assert_eq!(relayed.counted, [(0, None), (1, Some(2))]);
    let empty = format!("{SUCCESS}<m:RootFolder TotalItemsInView='9'/>{END}");
    let relayed = relay_cut(&answer(&empty), hold(0, false));
    assert_eq!((relayed.out, relayed.counted), (answer(&empty), vec![(0, Some(0))]));
}

#[test]
fn grouped_items_are_entries_too() {
    let groups = |first: &str, second: &str, attributes: &str| {
        let group = |items: &str| {
            format!(
                "<t:GroupedItems><t:GroupIndex>x</t:GroupIndex><t:Items>{items}</t:Items></t:GroupedItems>"
            )
        };
        let groups =
            [group(first), group(second), "<t:GroupedItems><t:Items/></t:GroupedItems>".to_owned()].concat();
        answer(&format!(
            "{SUCCESS}<m:RootFolder {attributes}><t:Groups>{groups}</t:Groups></m:RootFolder>{END}"
        ))
    };
    let (a, b, c) = (item("a"), item("b"), item("c"));
    let all = groups(&[&*a, &b].concat(), &c, "IndexedPagingOffset='3' IncludesLastItemInRange='true'");
    let some = groups(&a, "", "IndexedPagingOffset='1' IncludesLastItemInRange='false'");
    assert_eq!(relay_cut(&all, |_| keep(1, 1)).out, some);
    assert_eq!(relay_cut(&all, |_| Decision::Pass).entries, 3);
}

#[test]
fn entries_that_are_empty_elements_count_like_others() {
    let of = |items: &str, next: u32, last: bool| {
        answer(&folder(&format!("IndexedPagingOffset='{next}' IncludesLastItemInRange='{last}'"), items))
    };
    let relayed = relay_cut(&of("<t:Task/><t:Task/> <t:Task></t:Task><t:Task/>", 4, true), |_| keep(2, 2));
    assert_eq!((relayed.out, relayed.entries), (of("<t:Task/><t:Task/> ", 2, false), 2));
}

#[test]
fn whatever_is_no_answer_to_a_find_passes_unseen() {
    let fault =
        String::from_utf8(crate::ews::fault::fault("ErrorServerBusy", "Busy.", &[])).expect("it is text");
    let get = answer(&folder("TotalItemsInView='1'", &item("a"))).replace("FindItem", "GetItem");
    let errors = answer(&format!("{ERROR}<m:FindItemResponseMessage ResponseClass=\"Error\"/>"));
    let odd = answer(&format!("{SUCCESS}<m:Wrapper><m:RootFolder TotalItemsInView='1'/></m:Wrapper>{END}"));
    let elsewhere = answer("").replace("<s:Header>", "<s:Header><m:RootFolder xmlns:m='x'/>");
    for document in [
        &fault,
        &get,
        &errors,
        &odd,
        &elsewhere,
        "",
        "<html><body>Sign in<br></body>",
        "{\"json\": 1}",
        "\u{1f}\u{8b}\u{8}\0\0",
    ] {
        let relayed = relay_cut(document, |_| Decision::TooMany(error()));
        assert_eq!((relayed.out.as_str(), relayed.folders.len()), (document, 0));
    }
}
