use super::{DELIVERIES_BETWEEN_PRUNINGS, note};
use crate::Session;
use crate::server::{Failure, in_transaction};
use crate::test_world::{World, jane, john};

#[tokio::test]
async fn the_last_deliveries_of_each_mailbox_are_known_again_and_older_ones_are_not() {
    let world = World::new();
    let (most, all) = (10, 2 * DELIVERIES_BETWEEN_PRUNINGS);
    let session = Session::of(&john(), world.now);
    let checked = world.server.run(move |shared, db| {
        in_transaction::<_, Failure>(shared, db, &session, true, |visit| {
            for number in 1..=all {
                assert!(note(visit, &number.to_string(), most)?);
            }
            let elsewhere = Session::of(&jane(), session.now);
            assert!(note(&visit.of(&elsewhere)?, &all.to_string(), most)?, "each mailbox for itself");
            assert!(!note(visit, &all.to_string(), most)?);
            assert!(!note(visit, &(all - most + 1).to_string(), most)?);
            assert!(note(visit, &(all - most).to_string(), most)?);
            Ok(())
        })
    });
    checked.await.unwrap().unwrap();
}
