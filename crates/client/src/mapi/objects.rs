//! A session's objects, by the places at which ROPs name them (MS-OXCROPS, section 2.2.1.1).
//!
//! A ROP does not name an object by its handle but by a place in a table of handles, and a server writes the handle of
//! what it opens into that table. The table here lasts as long as the session: what one batch opens, later ones can name
//! by the same place. What a table of rows was told to show is kept too, since its rows cannot be read without.

#[cfg(test)]
mod tests;

use weir_wire::mapi::property::PropertyTag;
use weir_wire::mapi::rop::{MAX_HANDLES, NO_HANDLE};

#[derive(Clone, Debug, Default)]
pub(super) struct Objects {
    /// Nothing where a place is free.
    places: Vec<Option<Object>>,
}

#[derive(Clone, Debug)]
struct Object {
    handle: u32,
    columns: Vec<PropertyTag>,
}

impl Objects {
    /// Takes the first free place, if there is one.
    pub(super) fn take(&mut self) -> Option<u8> {
        let free = self.places.iter().position(Option::is_none).unwrap_or(self.places.len());
        // The last place of all stays free: it is what a table has that holds nothing.
        let place = u8::try_from(free).ok().filter(|place| usize::from(*place) + 1 < MAX_HANDLES)?;
        let object = Some(Object { handle: NO_HANDLE, columns: Vec::new() });
        match self.places.get_mut(free) {
            Some(slot) => *slot = object,
            None => self.places.push(object),
        }
        Some(place)
    }

    /// Gives a place back.
    pub(super) fn free(&mut self, place: u8) {
        if let Some(slot) = self.places.get_mut(usize::from(place)) {
            *slot = None;
        }
        while self.places.last().is_some_and(Option::is_none) {
            self.places.pop();
        }
    }

    /// The table of handles, as far as places are taken.
    pub(super) fn handles(&self) -> impl Iterator<Item = u32> + use<'_> {
        self.places.iter().map(|place| place.as_ref().map_or(NO_HANDLE, |object| object.handle))
    }

    /// At that place there is the object of that handle, or nothing any more.
    pub(super) fn set(&mut self, place: u8, handle: u32) {
        if let Some(Some(object)) = self.places.get_mut(usize::from(place))
            && object.handle != handle
        {
            *object = Object { handle, columns: Vec::new() };
        }
    }

    /// Whether there is an object at that place.
    pub(super) fn is_open(&self, place: u8) -> bool {
        let object = self.places.get(usize::from(place)).and_then(Option::as_ref);
        object.is_some_and(|object| object.handle != NO_HANDLE)
    }

    /// The table of rows at that place shows these columns.
    pub(super) fn show(&mut self, place: u8, columns: &[PropertyTag]) {
        if let Some(Some(object)) = self.places.get_mut(usize::from(place)) {
            object.columns = columns.to_vec();
        }
    }

    /// What the table of rows at that place shows.
    pub(super) fn columns(&self, place: u8) -> &[PropertyTag] {
        match self.places.get(usize::from(place)) {
            Some(Some(object)) => &object.columns,
            Some(None) | None => &[],
        }
    }
}
