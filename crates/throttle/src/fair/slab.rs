//! Numbered places for things that come and go, and lists that lead through them.
//!
//! The fair queue moves calls and owners from list to list, takes them out of the middle when a client has gone, and may
//! allocate nothing meanwhile. So each has a place in a [`Slab`], its number is what everybody holds, and the links of
//! its list are a part of it: whatever is done to a list takes the same few steps however long it is. A place that was
//! left is the first to be taken again, while it is still in the cache.

/// No place: the end of a list.
const NONE: usize = usize::MAX;

/// Things by the number of their place.
#[derive(Debug)]
pub(crate) struct Slab<T> {
    places: Vec<Place<T>>,
    /// The free place that is taken next; the others follow from there.
    free: usize,
    taken: usize,
}

#[derive(Debug)]
enum Place<T> {
    Taken(T),
    /// The free place after this one.
    Free(usize),
}

impl<T> Slab<T> {
    /// An empty slab that has room for so many.
    pub(crate) fn with_capacity(count: usize) -> Self {
        Self { places: Vec::with_capacity(count), free: NONE, taken: 0 }
    }

    pub(crate) const fn len(&self) -> usize {
        self.taken
    }

    pub(crate) fn insert(&mut self, thing: T) -> usize {
        self.taken += 1;
        let Some(place) = self.places.get_mut(self.free) else {
            self.places.push(Place::Taken(thing));
            return self.places.len() - 1;
        };
        let number = self.free;
        if let Place::Free(after) = std::mem::replace(place, Place::Taken(thing)) {
            self.free = after;
        }
        number
    }

    pub(crate) fn remove(&mut self, number: usize) -> Option<T> {
        let place = self.places.get_mut(number).filter(|place| matches!(place, Place::Taken(_)))?;
        let Place::Taken(thing) = std::mem::replace(place, Place::Free(self.free)) else { return None };
        self.free = number;
        self.taken -= 1;
        Some(thing)
    }

    #[inline]
    pub(crate) fn get(&self, number: usize) -> Option<&T> {
        match self.places.get(number) {
            Some(Place::Taken(thing)) => Some(thing),
            Some(Place::Free(_)) | None => None,
        }
    }

    #[inline]
    pub(crate) fn get_mut(&mut self, number: usize) -> Option<&mut T> {
        match self.places.get_mut(number) {
            Some(Place::Taken(thing)) => Some(thing),
            Some(Place::Free(_)) | None => None,
        }
    }
}

/// Where a thing stands in its list.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Links {
    before: usize,
    after: usize,
}

impl Links {
    pub(crate) const NONE: Self = Self { before: NONE, after: NONE };
}

/// What can stand in a list, one at a time.
pub(crate) trait Linked {
    fn links(&mut self) -> &mut Links;
}

/// A list through a slab. A thing is in one list at most, and its user knows in which.
#[derive(Clone, Copy, Debug)]
pub(crate) struct List {
    first: usize,
    last: usize,
}

impl List {
    pub(crate) const EMPTY: Self = Self { first: NONE, last: NONE };

    #[inline]
    pub(crate) fn first(&self) -> Option<usize> {
        (self.first != NONE).then_some(self.first)
    }

    pub(crate) fn push_back<T: Linked>(&mut self, slab: &mut Slab<T>, number: usize) {
        let Some(thing) = slab.get_mut(number) else { return };
        *thing.links() = Links { before: self.last, after: NONE };
        match slab.get_mut(self.last) {
            Some(last) => last.links().after = number,
            None => self.first = number,
        }
        self.last = number;
    }

    pub(crate) fn push_front<T: Linked>(&mut self, slab: &mut Slab<T>, number: usize) {
        let Some(thing) = slab.get_mut(number) else { return };
        *thing.links() = Links { before: NONE, after: self.first };
        match slab.get_mut(self.first) {
            Some(first) => first.links().before = number,
            None => self.last = number,
        }
        self.first = number;
    }

    /// Takes out what stands at `number`, which is in this list.
    pub(crate) fn unlink<T: Linked>(&mut self, slab: &mut Slab<T>, number: usize) {
        let Some(thing) = slab.get_mut(number) else { return };
        let Links { before, after } = std::mem::replace(thing.links(), Links::NONE);
        match slab.get_mut(before) {
            Some(before) => before.links().after = after,
            None => self.first = after,
        }
        match slab.get_mut(after) {
            Some(after) => after.links().before = before,
            None => self.last = before,
        }
    }
}

#[cfg(test)]
mod tests;
