//! Fields of typed structures, each said once and good for both ways.
//!
//! A codec is a type that knows how one kind of field is read and written; [`layout!`] makes a structure of named fields
//! out of codecs. What was formed as it should is written to the same bytes. What is longer than its size can say is cut
//! off, and text ends before its first zero: nothing that is written can shift what follows it. What is read takes up
//! bytes for each of its fields, so that no count, whatever it claims, costs more than the bytes that are there.

#[cfg(test)]
mod tests;

use std::marker::PhantomData;

use super::Malformed;
use super::reader::Reader;

/// How a `T` is read and written.
pub(super) trait Codec<T> {
    /// Takes one; `what` it belongs to goes into an error.
    fn read(reader: &mut Reader<'_>, what: &'static str) -> Result<T, Malformed>;

    /// Appends one.
    fn write(value: &T, out: &mut Vec<u8>);
}

/// Numbers, yes and no, and what else has one form only.
pub(super) enum Plain {}

/// Text of one-byte characters up to its zero.
pub(super) enum Text8 {}

/// Text of two-byte characters up to its zero. What is no text is read with replacement characters.
pub(super) enum Text16 {}

/// Bytes behind their number, which is an `N`.
pub(super) struct Sized<N>(PhantomData<N>);

/// Fields behind their number, which is an `N`.
pub(super) struct Counted<N, C>(PhantomData<(N, C)>);

/// A byte that says whether there is a field, and if so the field.
pub(super) struct Optional<C>(PhantomData<C>);

/// All bytes that are left.
pub(super) enum Rest {}

/// A number that counts or measures.
pub(super) trait Count: Copy {
    /// That many, or as many as it can say.
    fn of(count: usize) -> Self;

    /// How many those are.
    fn size(self) -> usize;
}

/// Numbers as little-endian fields, and those that may count.
macro_rules! numbers {
    ($($number:ty)* ; $($count:ty)*) => {
        $(impl Codec<$number> for Plain {
            fn read(reader: &mut Reader<'_>, what: &'static str) -> Result<$number, Malformed> {
                reader.array(what).map(<$number>::from_le_bytes)
            }

            fn write(value: &$number, out: &mut Vec<u8>) {
                out.extend(value.to_le_bytes());
            }
        })*
        $(impl Count for $count {
            fn of(count: usize) -> Self {
                Self::try_from(count).unwrap_or(Self::MAX)
            }

            fn size(self) -> usize {
                usize::try_from(self).unwrap_or(usize::MAX)
            }
        })*
    };
}

numbers! { u8 u16 u32 u64 i16 i32 i64 f32 f64; u8 u16 u32 }

impl Codec<bool> for Plain {
    fn read(reader: &mut Reader<'_>, what: &'static str) -> Result<bool, Malformed> {
        reader.u8(what).map(|byte| byte != 0)
    }

    fn write(value: &bool, out: &mut Vec<u8>) {
        out.push(u8::from(*value));
    }
}

impl<const N: usize> Codec<[u8; N]> for Plain {
    fn read(reader: &mut Reader<'_>, what: &'static str) -> Result<[u8; N], Malformed> {
        reader.array(what)
    }

    fn write(value: &[u8; N], out: &mut Vec<u8>) {
        out.extend(value);
    }
}

impl<const N: usize> Codec<[u64; N]> for Plain {
    fn read(reader: &mut Reader<'_>, what: &'static str) -> Result<[u64; N], Malformed> {
        let mut numbers = [0; N];
        for number in &mut numbers {
            *number = reader.u64(what)?;
        }
        Ok(numbers)
    }

    fn write(value: &[u64; N], out: &mut Vec<u8>) {
        out.extend(value.iter().flat_map(|number| number.to_le_bytes()));
    }
}

impl<T> Codec<Box<T>> for Plain
where
    Self: Codec<T>,
{
    fn read(reader: &mut Reader<'_>, what: &'static str) -> Result<Box<T>, Malformed> {
        <Self as Codec<T>>::read(reader, what).map(Box::new)
    }

    fn write(value: &Box<T>, out: &mut Vec<u8>) {
        <Self as Codec<T>>::write(value, out);
    }
}

impl Codec<Vec<u8>> for Text8 {
    fn read(reader: &mut Reader<'_>, what: &'static str) -> Result<Vec<u8>, Malformed> {
        reader.text8(what).map(<[u8]>::to_vec)
    }

    fn write(value: &Vec<u8>, out: &mut Vec<u8>) {
        out.extend(value.iter().take_while(|byte| **byte != 0));
        out.push(0);
    }
}

impl Codec<String> for Text16 {
    fn read(reader: &mut Reader<'_>, what: &'static str) -> Result<String, Malformed> {
        let units = reader.text16(what)?.as_chunks().0.iter().map(|pair| u16::from_le_bytes(*pair));
        Ok(char::decode_utf16(units).map(|unit| unit.unwrap_or(char::REPLACEMENT_CHARACTER)).collect())
    }

    fn write(value: &String, out: &mut Vec<u8>) {
        out.extend(value.encode_utf16().take_while(|unit| *unit != 0).flat_map(u16::to_le_bytes));
        out.extend([0, 0]);
    }
}

impl<N: Count> Codec<Vec<u8>> for Sized<N>
where
    Plain: Codec<N>,
{
    fn read(reader: &mut Reader<'_>, what: &'static str) -> Result<Vec<u8>, Malformed> {
        let size: N = Plain::read(reader, what)?;
        reader.bytes(size.size(), what).map(<[u8]>::to_vec)
    }

    fn write(value: &Vec<u8>, out: &mut Vec<u8>) {
        let size = N::of(value.len());
        Plain::write(&size, out);
        out.extend(value.iter().take(size.size()));
    }
}

impl<T, N: Count, C: Codec<T>> Codec<Vec<T>> for Counted<N, C>
where
    Plain: Codec<N>,
{
    fn read(reader: &mut Reader<'_>, what: &'static str) -> Result<Vec<T>, Malformed> {
        let count: N = Plain::read(reader, what)?;
        (0..count.size()).map(|_| C::read(reader, what)).collect()
    }

    fn write(value: &Vec<T>, out: &mut Vec<u8>) {
        let count = N::of(value.len());
        Plain::write(&count, out);
        for field in value.iter().take(count.size()) {
            C::write(field, out);
        }
    }
}

impl<T, C: Codec<T>> Codec<Option<T>> for Optional<C> {
    fn read(reader: &mut Reader<'_>, what: &'static str) -> Result<Option<T>, Malformed> {
        if reader.u8(what)? == 0 { Ok(None) } else { C::read(reader, what).map(Some) }
    }

    fn write(value: &Option<T>, out: &mut Vec<u8>) {
        out.push(value.is_some().into());
        if let Some(value) = value {
            C::write(value, out);
        }
    }
}

impl Codec<Vec<u8>> for Rest {
    fn read(reader: &mut Reader<'_>, what: &'static str) -> Result<Vec<u8>, Malformed> {
        reader.bytes(reader.rest().len(), what).map(<[u8]>::to_vec)
    }

    fn write(value: &Vec<u8>, out: &mut Vec<u8>) {
        out.extend(value);
    }
}

/// Declares structures whose fields follow one another, each as its codec says; [`Plain`] where none is named. A
/// structure is [`Plain`] in others.
macro_rules! layout {
    ($(
        $(#[$meta:meta])*
        $vis:vis struct $name:ident { $( $(#[$field_meta:meta])* $field:ident: $type:ty $(as $codec:ty)? ),* $(,)? }
    )*) => { $(
        $(#[$meta])*
        #[derive(Clone, Debug, Default, PartialEq)]
        $vis struct $name {
            $( $(#[$field_meta])* $vis $field: $type, )*
        }

        impl $crate::mapi::codec::Codec<$name> for $crate::mapi::codec::Plain {
            fn read(
                reader: &mut $crate::mapi::reader::Reader<'_>,
                what: &'static str,
            ) -> Result<$name, $crate::mapi::Malformed> {
                Ok($name {
                    $( $field: <$crate::mapi::codec::codec!($($codec)?) as $crate::mapi::codec::Codec<$type>>
                        ::read(reader, what)?, )*
                })
            }

            fn write(value: &$name, out: &mut Vec<u8>) {
                $( <$crate::mapi::codec::codec!($($codec)?) as $crate::mapi::codec::Codec<$type>>
                    ::write(&value.$field, out); )*
            }
        }
    )* };
}

/// The codec that a field names, or [`Plain`].
macro_rules! codec {
    () => {
        $crate::mapi::codec::Plain
    };
    ($codec:ty) => {
        $codec
    };
}

pub(super) use {codec, layout};
