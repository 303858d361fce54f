use std::net::IpAddr;
use std::sync::Mutex;

use weir_mailbox::Person;
use weir_mta::organisation::Authenticated;
use weir_spool::Measure;
use weir_units::{Component, Part, Refusal};
use weir_wire::smtp::Credentials;

use super::*;

/// Lets everybody send a message to two people.
#[derive(Default)]
struct Few(Mutex<u32>);

impl Submitters for Few {
    fn authenticate<'a>(&'a self, _: &'a Credentials, _: IpAddr) -> Answer<'a, Authenticated> {
        Box::pin(async { Authenticated::Wrong })
    }

    fn message(&self, owner: &Owner) -> Result<(), Refusal> {
        assert_eq!(owner.name(), "john.doe@example.com");
        Ok(())
    }

    fn recipients(&self, _: &Owner, count: u32) -> Result<(), Refusal> {
        let mut charged = self.0.lock().unwrap();
        if *charged + count > 2 {
            let (component, part) = (Component::Smtp, Part::RecipientRate);
            return Err(Refusal { component, part, limit: 2, used: 2, retry_after: None });
        }
        *charged += count;
        Ok(())
    }

    fn owner<'a>(&'a self, _: &'a str) -> Answer<'a, Option<Owner>> {
        Box::pin(async { None })
    }
}

type Taken = Arc<Mutex<Vec<(Mail, Vec<Recipient>, Bytes, Owner)>>>;

fn outgoing(from: &str, to: &[&str]) -> Outgoing {
    let to = to.iter().map(|address| address.parse().unwrap()).collect();
    Outgoing {
        from: Person { address: from.to_owned(), ..Person::default() },
        to,
        message: Bytes::from_static(b"m"),
    }
}

/// Hands messages over as the mailbox server does, on a thread of its own, to a transport that answers `answer`.
async fn submit(
    answer: fn() -> Option<Result<MessageId, IntakeError>>,
    mails: Vec<Outgoing>,
) -> (Vec<Result<(), NotSent>>, Taken) {
    let taken = Taken::default();
    let keep = Arc::clone(&taken);
    let submit: Submit = Box::new(move |mail, to, message, owner| {
        let keep = Arc::clone(&keep);
        Box::pin(async move {
            tokio::task::yield_now().await;
            keep.lock().unwrap().push((mail, to, message, owner));
            answer()
        })
    });
    let few: Arc<dyn Submitters> = Arc::new(Few::default());
    let way = WayOut::new(Handle::current(), &few, submit);
    let outcomes =
        tokio::task::spawn_blocking(move || mails.into_iter().map(|mail| way.submit(mail)).collect());
    (outcomes.await.unwrap(), taken)
}

#[allow(clippy::unnecessary_wraps, reason = "one of several answers")]
fn kept() -> Option<Result<MessageId, IntakeError>> {
    Some(Ok(MessageId::new(1)))
}

#[tokio::test]
async fn a_message_goes_into_the_queue_from_its_owner_to_all_elsewhere() {
    let mail = outgoing("John.Doe@example.com", &["zoe@elsewhere.example", "jörg@elsewhere.example"]);
    let (outcomes, taken) = submit(kept, vec![mail]).await;
    assert_eq!(outcomes, [Ok(())]);
    let taken = taken.lock().unwrap();
    let [(mail, to, message, owner)] = &taken[..] else { panic!("{taken:?}") };
    assert_eq!(mail.from.to_string(), "<John.Doe@example.com>");
    assert!(mail.smtp_utf8, "an address is beyond ASCII");
    let to: Vec<_> = to.iter().map(|to| to.to.to_string()).collect();
    assert_eq!(to, ["<zoe@elsewhere.example>", "<jörg@elsewhere.example>"]);
    assert_eq!((&message[..], owner.name()), (b"m".as_slice(), "john.doe@example.com"));
}

#[tokio::test]
async fn who_sends_to_more_than_he_may_is_told_and_nothing_goes_out() {
    let mails = [&["a@x.example", "b@x.example"][..], &["c@x.example"][..]];
    let mails = mails.map(|to| outgoing("john.doe@example.com", to)).to_vec();
    let (outcomes, taken) = submit(kept, mails).await;
    assert_eq!(outcomes, [Ok(()), Err(NotSent::TooMany)]);
    assert_eq!(taken.lock().unwrap().len(), 1);
}

#[tokio::test]
async fn what_the_queue_does_not_take_is_told_in_words_of_its_cause() {
    type Case = (fn() -> Option<Result<MessageId, IntakeError>>, NotSent);
    let cases: [Case; 4] = [
        (|| None, NotSent::Unavailable),
        (|| Some(Err(SpoolError::Full { used: 2, limit: 1 }.into())), NotSent::Unavailable),
        (
            || Some(Err(SpoolError::TooLarge { what: Measure::Body, given: 2, limit: 1 }.into())),
            NotSent::TooLarge { limit: 1 },
        ),
        (
            || Some(Err(IntakeError::Loop { hops: 40, limit: 30 })),
            NotSent::Malformed("the message came through 40 servers, and 30 is the most".to_owned()),
        ),
    ];
    for (answer, told) in cases {
        let (outcomes, _) = submit(answer, vec![outgoing("john.doe@example.com", &["a@x.example"])]).await;
        assert_eq!(outcomes, [Err(told)]);
    }
    let (outcomes, taken) = submit(kept, vec![outgoing("nobody", &["a@x.example"])]).await;
    assert!(matches!(&outcomes[..], [Err(NotSent::Malformed(_))]), "{outcomes:?}");
    assert!(taken.lock().unwrap().is_empty());
}

#[tokio::test]
async fn once_the_transport_has_ended_nothing_goes_out() {
    let few: Arc<dyn Submitters> = Arc::new(Few::default());
    let way = WayOut::new(Handle::current(), &few, Box::new(|_, _, _, _| panic!("nobody is there")));
    drop(few);
    let mail = outgoing("john.doe@example.com", &["a@x.example"]);
    assert_eq!(way.submit(mail), Err(NotSent::Unavailable));
}

#[tokio::test(start_paused = true)]
async fn a_queue_that_hangs_holds_nobody_up_for_ever() {
    let submit: Submit = Box::new(|_, _, _, _| Box::pin(std::future::pending()));
    let few: Arc<dyn Submitters> = Arc::new(Few::default());
    let way = WayOut::new(Handle::current(), &few, submit);
    let waits =
        tokio::task::spawn_blocking(move || way.submit(outgoing("john.doe@example.com", &["a@x.example"])));
    // While a blocking task runs, the paused clock moves only when it is told to.
    while !waits.is_finished() {
        tokio::time::advance(Duration::from_secs(1)).await;
    }
    assert_eq!(waits.await.unwrap(), Err(NotSent::Unavailable));
}
