use super::*;
use crate::ews::xml::{Element, Limits};
use weir_units::{Component, TimePart};

fn refusal(part: Part, limit: u64, retry_after: Option<u64>) -> Refusal {
    Refusal { component: Component::Ews, part, limit, used: limit, retry_after: retry_after.map(Millis::new) }
}

fn fault_of(answer: RefusalAnswer) -> String {
    match answer {
        RefusalAnswer::Fault(fault) => String::from_utf8(fault).unwrap(),
        RefusalAnswer::Message(message) => panic!("a message: {message:?}"),
    }
}

fn message_of(answer: RefusalAnswer) -> ErrorMessage {
    match answer {
        RefusalAnswer::Message(message) => message,
        RefusalAnswer::Fault(_) => panic!("a fault"),
    }
}

#[test]
fn a_time_part_gives_the_fault_that_clients_know_by_heart() {
    let answer =
        RefusalAnswer::new(&refusal(Part::Time(TimePart::Cas), 54_000, Some(297_749)), Version::Exchange2010);
    assert_eq!(
        fault_of(answer),
        concat!(
            r#"<s:Envelope xmlns:s="http://schemas.xmlsoap.org/soap/envelope/"><s:Body><s:Fault>"#,
            r#"<faultcode xmlns:a="http://schemas.microsoft.com/exchange/services/2006/types">a:ErrorServerBusy</faultcode>"#,
            r#"<faultstring xml:lang="en-US">The server cannot service this request right now. Try again later.</faultstring>"#,
            r"<detail>",
            r#"<e:ResponseCode xmlns:e="http://schemas.microsoft.com/exchange/services/2006/errors">ErrorServerBusy</e:ResponseCode>"#,
            r#"<e:Message xmlns:e="http://schemas.microsoft.com/exchange/services/2006/errors">The server cannot service this request right now. Try again later.</e:Message>"#,
            r#"<t:MessageXml xmlns:t="http://schemas.microsoft.com/exchange/services/2006/types">"#,
            r#"<t:Value Name="BackOffMilliseconds">297749</t:Value>"#,
            r"</t:MessageXml></detail></s:Fault></s:Body></s:Envelope>",
        )
    );
}

#[test]
fn a_back_off_is_at_least_one_millisecond_and_fits_the_clients_numbers() {
    let back_off = |retry_after| {
        let fault = fault_of(RefusalAnswer::new(&refusal(Part::Waiting, 1, retry_after), Version::Unstated));
        let root = Element::from_xml(fault.as_bytes(), &Limits::default()).unwrap();
        let values =
            root.child("Body").unwrap().child("Fault").unwrap().child("detail").unwrap().child("MessageXml");
        assert_eq!(values.unwrap().children.len(), 1, "first and alone");
        values.unwrap().child_text("Value").unwrap().parse::<u64>().unwrap()
    };
    assert_eq!(back_off(Some(0)), 1);
    assert_eq!(back_off(Some(17)), 17);
    assert_eq!(back_off(None), DEFAULT_BACK_OFF.count());
    assert_eq!(back_off(Some(u64::MAX)), 2_147_483_647);
}

#[test]
fn too_many_connections_name_policy_limit_and_message() {
    for (part, name) in
        [(Part::MaxConcurrency, "MaxConcurrency"), (Part::HangingConnections, "HangingConnections")]
    {
        let fault = fault_of(RefusalAnswer::new(&refusal(part, 27, Some(5)), Version::Exchange2010));
        let texts = [
            ">a:ErrorExceededConnectionCount</faultcode>".to_owned(),
            ">You have exceeded the available concurrent connections for your account.  Try again once your other \
             requests have completed.</faultstring>"
                .to_owned(),
            format!(r#"<t:Value Name="Policy">{name}</t:Value><t:Value Name="MaxConcurrencyLimit">27</t:Value>"#),
            format!(
                "<t:Value Name=\"ErrorMessage\">This operation exceeds the throttling budget for policy part '{name}', \
                 policy value '27',  Budget type: 'Ews'.  Suggested backoff time 0 ms.</t:Value>"
            ),
        ];
        for text in texts {
            assert!(fault.contains(&text), "{text} in {fault}");
        }
        assert!(!fault.contains("BackOffMilliseconds"), "{fault}");
    }
}

#[test]
fn clients_older_than_2010_hear_that_the_server_is_busy_without_a_back_off() {
    let cases = [
        (Version::Unstated, "ErrorServerBusy"),
        (Version::Exchange2007, "ErrorServerBusy"),
        (Version::Exchange2007Sp1, "ErrorServerBusy"),
        (Version::Exchange2010, "ErrorExceededFindCountLimit"),
        (Version::Exchange2010Sp1, "ErrorExceededFindCountLimit"),
        (Version::Exchange2010Sp2, "ErrorExceededFindCountLimit"),
        (Version::Exchange2013, "ErrorExceededFindCountLimit"),
    ];
    for (version, code) in cases {
        let message = message_of(RefusalAnswer::new(&refusal(Part::FindCount, 1000, None), version));
        assert_eq!(message.code, code, "{version:?}");
        assert_eq!(message.values, [("PolicyLimit", "1000".to_owned())]);
    }
}

#[test]
fn limits_of_one_step_give_a_message_and_not_a_fault() {
    let cases = [
        (Part::MaxSubscriptions, "ErrorExceededSubscriptionCount"),
        (Part::FastSearchTimeout, "ErrorTimeoutExpired"),
        (Part::MessageRate, "ErrorSubmissionQuotaExceeded"),
        (Part::RecipientRate, "ErrorSubmissionQuotaExceeded"),
    ];
    for (part, code) in cases {
        assert_eq!(message_of(RefusalAnswer::new(&refusal(part, 5, None), Version::Exchange2010)).code, code);
    }
}

#[test]
fn a_program_that_is_kept_out_hears_why() {
    let fault = String::from_utf8(access_denied("Update to 5.7 & try again.")).unwrap();
    assert!(
        fault.contains("a:ErrorAccessDenied") && fault.contains("Update to 5.7 &amp; try again."),
        "{fault}"
    );
    let fault = fault_of(RefusalAnswer::new(&refusal(Part::BlockList, 0, None), Version::Exchange2010));
    assert!(fault.contains("a:ErrorAccessDenied") && !fault.contains("MessageXml"), "{fault}");
}

#[test]
fn a_store_that_failed_half_way_asks_for_no_blind_retry() {
    let fault = String::from_utf8(store_unavailable()).unwrap();
    assert!(fault.contains("a:ErrorMailboxStoreUnavailable") && !fault.contains("MessageXml"), "{fault}");
}

#[test]
fn a_page_that_waited_in_vain_is_busy_rather_than_too_large() {
    let fault =
        fault_of(RefusalAnswer::new(&refusal(Part::FindCount, 10, Some(1000)), Version::Exchange2010));
    assert!(fault.contains(">a:ErrorServerBusy</faultcode>"), "{fault}");
    assert!(fault.contains(r#"<t:Value Name="BackOffMilliseconds">1000</t:Value>"#), "{fault}");
}
