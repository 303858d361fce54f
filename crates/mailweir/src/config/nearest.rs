//! The nearest known word to one that was mistyped.

/// The word out of `known` that `typed` was most likely meant to be, or nothing where none is near: at most a third of
/// its letters, and at least one, may differ. Case does not count.
pub(crate) fn nearest<'k>(typed: &str, known: impl IntoIterator<Item = &'k str>) -> Option<&'k str> {
    let near = (typed.chars().count() / 3).max(1);
    let typed = typed.to_lowercase();
    known
        .into_iter()
        .map(|word| (strsim::osa_distance(&typed, &word.to_lowercase()), word))
        .filter(|(distance, _)| *distance <= near)
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, word)| word)
}

#[cfg(test)]
mod tests;
