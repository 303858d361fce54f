use super::*;

fn second(count: u64) -> Tick {
    Tick::START.plus(Micros::SECOND.times(count))
}

fn joined(line: &Line) -> Ticket {
    line.join(|| Ok::<(), ()>(())).unwrap()
}

#[test]
fn the_first_to_come_is_the_first_to_go() {
    let line = Line::new();
    let (first, next) = (joined(&line), joined(&line));
    assert_eq!(line.turn(next, second(0)), Turn::After(second(5)));
    assert_eq!(line.turn(first, second(0)), Turn::Come);
}

#[test]
fn the_turn_of_the_next_comes_when_the_leader_has_been_charged_a_slice() {
    let line = Line::new();
    let (first, next) = (joined(&line), joined(&line));
    line.lead(first, second(10));
    assert_eq!(line.turn(next, second(12)), Turn::After(second(15)));
    assert_eq!(line.turn(next, second(15)), Turn::Come);
}

#[test]
fn a_leader_whose_clock_stands_keeps_the_turn() {
    let line = Line::new();
    let (first, next) = (joined(&line), joined(&line));
    line.lead(first, second(10));
    line.stand(first, second(12));
    assert_eq!(line.turn(next, second(100)), Turn::After(second(105)), "charged two seconds");
    line.walk(first, second(200));
    line.stand(first, second(201));
    line.walk(first, second(300));
    assert_eq!(line.turn(next, second(301)), Turn::After(second(302)), "charged four seconds");
    assert_eq!(line.turn(next, second(302)), Turn::Come);
}

#[test]
fn the_turn_of_the_next_comes_when_the_leader_ends_or_waits_again() {
    for leave in [true, false] {
        let line = Line::new();
        let (first, next) = (joined(&line), joined(&line));
        line.lead(first, second(10));
        if leave {
            line.leave(first);
        } else {
            let again = line.join_again(first);
            assert_eq!(line.turn(again, second(10)), Turn::After(second(15)), "at the end");
        }
        assert_eq!(line.turn(next, second(10)), Turn::Come);
    }
}

#[test]
fn whoever_gives_up_leaves_from_any_place() {
    let line = Line::new();
    let (first, middle, last) = (joined(&line), joined(&line), joined(&line));
    line.leave(middle);
    line.leave(first);
    assert_eq!(line.turn(last, second(0)), Turn::Come);
    line.leave(last);
    let newcomer = joined(&line);
    assert_eq!(line.turn(newcomer, second(0)), Turn::Come);
}

#[test]
fn a_line_whose_entry_fails_is_not_joined() {
    let line = Line::new();
    assert_eq!(line.join(|| Err("entry")), Err("entry"));
    let first = joined(&line);
    assert_eq!(line.turn(first, second(0)), Turn::Come);
}
