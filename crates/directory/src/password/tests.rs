use super::*;

fn passwords() -> Passwords {
    Passwords::new(PasswordCost::LEAST).unwrap()
}

#[test]
fn a_password_fits_its_own_hash_and_no_other() {
    let passwords = passwords();
    let hash = passwords.hash("secret").unwrap();
    assert!(hash.starts_with("$argon2id$v=19$m=8,t=1,p=1$"), "{hash}");
    assert!(passwords.fits("secret", Some(&hash)));
    assert!(!passwords.fits("Secret", Some(&hash)));
    assert!(!passwords.fits("", Some(&hash)));
}

#[test]
fn the_same_password_has_another_hash_each_time() {
    let passwords = passwords();
    assert_ne!(passwords.hash("secret").unwrap(), passwords.hash("secret").unwrap());
}

#[test]
fn a_hash_made_at_another_price_still_fits() {
    let dearer = Passwords::new(PasswordCost { memory_kib: 16, passes: 2, lanes: 1 }).unwrap();
    let hash = dearer.hash("secret").unwrap();
    assert!(passwords().fits("secret", Some(&hash)));
}

#[test]
fn the_price_of_real_passwords_is_moderate() {
    let hash = Passwords::new(PasswordCost::default()).unwrap().hash("secret").unwrap();
    assert!(hash.starts_with("$argon2id$v=19$m=19456,t=2,p=1$"), "{hash}");
}

#[test]
fn nobodys_hash_fits_no_password_at_all() {
    let passwords = passwords();
    assert!(!passwords.fits("nobody's", None));
    assert!(!passwords.fits("nobody's", Some("no hash")));
}

#[test]
fn a_password_that_is_empty_or_too_long_cannot_be_set() {
    let passwords = passwords();
    let longest = "x".repeat(MAX_PASSWORD_BYTES);
    let too_long = "x".repeat(MAX_PASSWORD_BYTES + 1);
    assert_eq!(passwords.hash(""), Err(PasswordError::Empty));
    assert_eq!(passwords.hash(&too_long), Err(PasswordError::TooLong { bytes: MAX_PASSWORD_BYTES + 1 }));
    let hash = passwords.hash(&longest).unwrap();
    assert!(passwords.fits(&longest, Some(&hash)));
    assert!(!passwords.fits(&too_long, Some(&hash)), "what is beyond the bound is not cut off and forgotten");
}

#[test]
fn places_come_back_whatever_the_outcome() {
    let passwords = passwords();
    let before = *passwords.free.lock().unwrap();
    let _ = passwords.hash("");
    passwords.hash("secret").unwrap();
    passwords.fits("secret", None);
    assert_eq!(*passwords.free.lock().unwrap(), before);
}

#[test]
fn a_price_that_argon2_does_not_know_is_refused() {
    assert!(Passwords::new(PasswordCost { memory_kib: 1, passes: 1, lanes: 1 }).is_err());
}
