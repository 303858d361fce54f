use super::*;

#[test]
fn a_weight_is_one_to_a_hundred() {
    for (turns, good) in [(0, false), (1, true), (100, true), (101, false), (256, false), (u32::MAX, false)] {
        assert_eq!(Weight::new(turns).is_ok(), good, "{turns}");
    }
    assert_eq!(Weight::new(100), Ok(Weight::MAX));
    let told = Weight::new(101).unwrap_err().to_string();
    assert_eq!(told, "a weight is 1 to 100, and 101 is not; disable a target to give it nothing");
}
