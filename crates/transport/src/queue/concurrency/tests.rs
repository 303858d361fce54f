use proptest::prelude::*;

use super::*;

fn window(initial: u32, most: u32) -> Window {
    Window::new(&QueueSettings {
        initial_connections: initial,
        max_per_domain_outbound_connections: most,
        ..QueueSettings::default()
    })
}

/// The rule in fractions, slowly: every lesson since the last change is counted again.
struct Slow {
    size: u32,
    most: u32,
    lessons: Vec<Feedback>,
}

impl Slow {
    fn learn(&mut self, feedback: Feedback) {
        self.lessons.push(feedback);
        let count = |wanted| self.lessons.iter().filter(|lesson| **lesson == wanted).count();
        let (good, bad) = (count(Feedback::Delivered), count(Feedback::Overloaded));
        let size = usize::try_from(self.size).unwrap();
        let size = match (good.checked_sub(5 * bad), (5 * bad).checked_sub(good)) {
            (Some(more), _) if more >= size => self.size + 1,
            (_, Some(more)) if more >= size && good == 0 => self.size / 2,
            (_, Some(more)) if more >= size => self.size - 1,
            _ => return,
        };
        self.size = size.clamp(1, self.most);
        self.lessons.clear();
    }
}

proptest! {
    #[test]
    fn the_window_is_what_the_lessons_say(
        initial in 1..30_u32,
        most in 1..30_u32,
        lessons in prop::collection::vec(any::<bool>(), 0..600),
    ) {
        let mut window = window(initial, most);
        let mut slow = Slow { size: initial.min(most), most, lessons: Vec::new() };
        for good in lessons {
            let feedback = if good { Feedback::Delivered } else { Feedback::Overloaded };
            window.learn(feedback);
            slow.learn(feedback);
            prop_assert_eq!(window.size(), slow.size);
            prop_assert!((1..=most).contains(&window.size()));
        }
    }
}

#[test]
fn a_failure_here_and_there_changes_nothing() {
    let mut window = window(10, 20);
    for _ in 0..100 {
        window.learn(Feedback::Overloaded);
        (0..5).for_each(|_| window.learn(Feedback::Delivered));
    }
    assert_eq!(window.size(), 10);
}

#[test]
fn a_next_hop_that_takes_nothing_is_down_to_one_connection_soon() {
    let mut window = window(20, 20);
    let lessons = (1..100).find(|_| {
        window.learn(Feedback::Overloaded);
        window.size() == 1
    });
    assert_eq!(lessons, Some(4 + 2 + 1 + 1));
}

#[test]
fn a_next_hop_that_bears_seven_connections_gets_about_seven() {
    let mut window = window(5, 20);
    let (mut delivered, mut refused) = (0_u32, 0_u32);
    for _ in 0..2000 {
        // One round: as many connections as the window has, of which seven are served and the rest hear 421.
        let size = window.size();
        for connection in 0..size {
            let is_served = connection < 7;
            window.learn(if is_served { Feedback::Delivered } else { Feedback::Overloaded });
            if is_served { delivered += 1 } else { refused += 1 }
        }
    }
    assert!((7..=9).contains(&window.size()), "{window:?}");
    let percent = 100 * refused / (delivered + refused);
    assert!(percent < 18, "{percent} % refused: {window:?}");
}

#[test]
fn after_an_outage_it_begins_small_again() {
    let mut window = window(5, 20);
    (0..1000).for_each(|_| window.learn(Feedback::Delivered));
    assert_eq!(window.size(), 20);
    window.restart();
    assert_eq!(window.size(), 5);
    (0..100).for_each(|_| window.learn(Feedback::Overloaded));
    window.restart();
    assert_eq!(window.size(), 1, "it never grows by starting again");
}
