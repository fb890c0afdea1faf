//! The macros that make messages of tables: a struct, how it is read, how it is written.

use super::{Header, Reason, Refusal, Text, Value};

/// Whether a member of a struct is required (a value) or optional (an `Option`).
pub trait Presence<'a>: Sized {
    /// What is in the field.
    type Held: Value<'a>;
    /// Whether a message without it is refused.
    const REQUIRED: bool;

    /// The member, from what was found.
    fn of(found: Self::Held) -> Self;

    /// What to write.
    fn held(&self) -> Option<&Self::Held>;
}

impl<'a, V: Value<'a>> Presence<'a> for V {
    type Held = V;
    const REQUIRED: bool = true;

    #[inline(always)]
    fn of(found: V) -> Self {
        found
    }

    #[inline(always)]
    fn held(&self) -> Option<&V> {
        Some(self)
    }
}

impl<'a, V: Value<'a>> Presence<'a> for Option<V> {
    type Held = V;
    const REQUIRED: bool = false;

    #[inline(always)]
    fn of(found: V) -> Self {
        Some(found)
    }

    #[inline(always)]
    fn held(&self) -> Option<&V> {
        self.as_ref()
    }
}

/// Few messages are refused: this stays out of the path of the others.
#[cold]
const fn refusal(tag: u32, reason: Reason) -> Refusal {
    Refusal { tag, reason }
}

/// As [`refusal`]; a field without a value is wrong for that.
#[cold]
const fn wrong(tag: u32, reason: Reason, text: Text<'_>) -> Refusal {
    let reason = if text.len() == 0 {
        Reason::Empty
    } else {
        reason
    };
    refusal(tag, reason)
}

/// The members found so far, a bit each: each is written to its place at once, and is not moved again.
#[derive(Clone, Copy, Default)]
pub(super) struct Seen(u64);

impl Seen {
    /// Whether a member was found.
    #[inline(always)]
    pub(super) const fn has(self, member: u32) -> bool {
        self.0 >> member & 1 != 0
    }

    /// Takes note of a field, which must be the first of its tag.
    #[inline(always)]
    pub(super) fn note(&mut self, member: u32, tag: u32) -> Result<(), Refusal> {
        if self.has(member) {
            return Err(refusal(tag, Reason::Repeated));
        }
        self.0 |= 1 << member;
        Ok(())
    }

    /// Checks that all members of a mask were found; `tags` are those of the members.
    #[inline(always)]
    pub(super) fn demand(self, required: u64, tags: &[u32]) -> Result<(), Refusal> {
        match required & !self.0 {
            0 => Ok(()),
            missing => {
                let tag = tags.get(missing.trailing_zeros() as usize);
                let (tag, reason) = (tag.copied().unwrap_or_default(), Reason::Missing);
                Err(Refusal { tag, reason })
            }
        }
    }
}

/// Reads a value into its member.
#[inline(always)]
pub(super) fn store<'a, P: Presence<'a>>(
    member: &mut P,
    tag: u32,
    text: Text<'a>,
) -> Result<(), Refusal> {
    let held = P::Held::take(text).map_err(|reason| wrong(tag, reason, text))?;
    *member = P::of(held);
    Ok(())
}

/// Refuses an invalid field.
#[inline(always)]
pub(super) const fn malformed(tag: u32) -> Result<(), Refusal> {
    match tag {
        0 => Err(refusal(tag, Reason::InvalidTag)),
        _ => Ok(()),
    }
}

/// A field that the body of a message does not have: skipped, unless it belongs elsewhere.
#[inline(always)]
pub(super) fn unknown(tag: u32) -> Result<(), Refusal> {
    malformed(tag)?;
    framing(tag)?;
    if Header::has(tag) {
        let reason = Reason::Order;
        return Err(Refusal { tag, reason });
    }
    Ok(())
}

/// A field of the framing, which every message has once, in its place.
#[inline(always)]
pub(super) const fn framing(tag: u32) -> Result<(), Refusal> {
    match tag {
        8 | 9 | 10 | 35 => {
            let reason = Reason::Repeated;
            Err(Refusal { tag, reason })
        }
        _ => Ok(()),
    }
}

/// The numbers of members, and their tags.
macro_rules! members {
    ($($tag:literal $member:ident,)* ; $($group:ident,)*) => {
        #[expect(non_camel_case_types, reason = "named as the members are")]
        #[allow(dead_code, reason = "a message may have no member")]
        #[derive(Clone, Copy)]
        enum At { $($member,)* $($group,)* }
        const TAGS: &[u32] = &[$($tag,)*];
    };
}

/// A message: its type, then its members in the order they are written, then its repeating groups.
macro_rules! message {
    (
        $(#[$doc:meta])* $msg_type:literal $name:ident<$a:lifetime>
        { $($members:tt)* } $(groups { $($groups:tt)* })?
    ) => {
        $crate::fix::define::message!(@struct [$(#[$doc])*] $name [<$a>] $a { $($members)* } { $($($groups)*)? });
        $crate::fix::define::message!(@impl $msg_type $name [<$a>] $a { $($members)* } { $($($groups)*)? });
    };
    ($(#[$doc:meta])* $msg_type:literal $name:ident { $($members:tt)* }) => {
        $crate::fix::define::message!(@struct [$(#[$doc])*] $name [] 'a { $($members)* } {});
        $crate::fix::define::message!(@impl $msg_type $name [] 'a { $($members)* } {});
    };
    (
        @struct [$(#[$doc:meta])*] $name:ident [$($generics:tt)*] $a:lifetime
        { $($(#[$member_doc:meta])* $tag:literal $member:ident: $type:ty,)* }
        { $($(#[$group_doc:meta])* $count:literal $group:ident: $entry:ty,)* }
    ) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, Default, PartialEq)]
        pub struct $name $($generics)* {
            $($(#[$member_doc])* pub $member: $type,)*
            $($(#[$group_doc])* pub $group: $crate::fix::Group<$a, $entry>,)*
        }
    };
    (
        @impl $msg_type:literal $name:ident [$($generics:tt)*] $a:lifetime
        { $($(#[$member_doc:meta])* $tag:literal $member:ident: $type:ty,)* }
        { $($(#[$group_doc:meta])* $count:literal $group:ident: $entry:ty,)* }
    ) => {
        impl<$a> $crate::fix::Body<$a> for $name $($generics)* {
            const MSG_TYPE: &'static [u8] = $msg_type;

            #[inline(always)]
            fn fill(&mut self, mut fields: $crate::fix::Fields<$a>) -> Result<(), $crate::fix::Refusal> {
                $crate::fix::define::members!($($tag $member,)* ; $($group,)*);
                let mut seen = $crate::fix::define::Seen::default();
                while let Some(field) = fields.front() {
                    fields.pass(&field);
                    match field.tag {
                        $($tag => {
                            fields.announce($tag, &field);
                            seen.note(At::$member as u32, $tag)?;
                            $crate::fix::define::store(&mut self.$member, $tag, field.text)?;
                        })*
                        $($count => {
                            seen.note(At::$group as u32, $count)?;
                            self.$group = $crate::fix::group::read($count, field.text.value(), &mut fields)?;
                        })*
                        tag => {
                            $crate::fix::define::unknown(tag)?;
                            fields.announce(tag, &field);
                        }
                    }
                }
                let required = 0 $(| u64::from(<$type as $crate::fix::define::Presence<'_>>::REQUIRED) << At::$member as u32)*;
                seen.demand(required, TAGS)
            }

            #[inline(always)]
            fn put(&self, encoder: &mut $crate::fix::Encoder<'_>) {
                $($crate::fix::define::put!(encoder, $tag, &self.$member);)*
                $(self.$group.put($crate::fix::define::prefix!($count), encoder);)*
            }
        }
    };
}

/// A part of messages: the header, or an entry of a repeating group. It ends at a field that is neither its own nor one of those it
/// skips; an entry also where `first` comes again.
macro_rules! component {
    (
        $(#[$doc:meta])* $name:ident<$a:lifetime> {
            $($(#[$member_doc:meta])* $tag:literal $member:ident: $type:ty,)*
        }
        skips { $($skipped:pat)? }
        first { $($first:ident)? }
    ) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, Default, PartialEq)]
        pub struct $name<$a> {
            $($(#[$member_doc])* pub $member: $type,)*
        }

        impl<$a> $name<$a> {
            /// Whether a field belongs to it.
            #[inline(always)]
            pub const fn has(tag: u32) -> bool {
                match tag {
                    $($tag)|* => true,
                    $($skipped => true,)?
                    _ => false,
                }
            }

            /// Reads it off the front of `fields`.
            ///
            /// # Errors
            /// A field that is wrong, or a required one that is missing.
            #[inline(always)]
            pub fn parse(fields: &mut $crate::fix::Fields<$a>) -> Result<Self, $crate::fix::Refusal> {
                let mut read = $name::default();
                read.fill(fields)?;
                Ok(read)
            }

            /// As `parse`, into a default.
            #[inline(always)]
            pub(in $crate::fix) fn fill(&mut self, fields: &mut $crate::fix::Fields<$a>) -> Result<(), $crate::fix::Refusal> {
                $crate::fix::define::members!($($tag $member,)* ;);
                let mut seen = $crate::fix::define::Seen::default();
                while let Some(field) = fields.front() {
                    $(if field.tag == <Self as $crate::fix::Member<'_>>::FIRST && seen.has(At::$first as u32) {
                        break;
                    })?
                    match field.tag {
                        $($tag => {
                            seen.note(At::$member as u32, $tag)?;
                            $crate::fix::define::store(&mut self.$member, $tag, field.text)?;
                        })*
                        $($skipped => {
                            $crate::fix::define::framing(field.tag)?;
                            fields.pass(&field);
                            fields.announce(field.tag, &field);
                            continue;
                        })?
                        tag => {
                            $crate::fix::define::malformed(tag)?;
                            break;
                        }
                    }
                    fields.pass(&field);
                }
                let required = 0 $(| u64::from(<$type as $crate::fix::define::Presence<'_>>::REQUIRED) << At::$member as u32)*;
                seen.demand(required, TAGS)
            }

            /// Appends every member that is there, in the order of the struct.
            #[inline(always)]
            pub fn put(&self, encoder: &mut $crate::fix::Encoder<'_>) {
                $($crate::fix::define::put!(encoder, $tag, &self.$member);)*
            }
        }
    };
}

/// An entry of a repeating group; its first member is the one each entry begins with.
macro_rules! entry {
    (
        $(#[$doc:meta])* $name:ident<$a:lifetime> {
            $(#[$first_doc:meta])* $first_tag:literal $first:ident: $first_type:ty,
            $($rest:tt)*
        }
        skips { $($skipped:pat)? }
    ) => {
        $crate::fix::define::component! {
            $(#[$doc])* $name<$a> {
                $(#[$first_doc])* $first_tag $first: $first_type,
                $($rest)*
            }
            skips { $($skipped)? }
            first { $first }
        }

        impl<$a> $crate::fix::Member<$a> for $name<$a> {
            const FIRST: u32 = $first_tag;

            fn parse(fields: &mut $crate::fix::Fields<$a>) -> Result<Self, $crate::fix::Refusal> {
                $name::parse(fields)
            }

            fn put(&self, encoder: &mut $crate::fix::Encoder<'_>) {
                $name::put(self, encoder);
            }
        }
    };
}

/// `|11=`: the encoder writes a separator before each field, so that one write does for both.
macro_rules! prefix {
    ($tag:literal) => {{
        const TEXT: &str = concat!("\u{1}", $tag, "=");
        const BYTES: &[u8; TEXT.len()] = match TEXT.as_bytes().first_chunk() {
            Some(bytes) => bytes,
            None => unreachable!(),
        };
        BYTES
    }};
}

/// Appends a member if it is there.
macro_rules! put {
    ($encoder:ident, $tag:literal, $member:expr) => {
        if let Some(value) = $crate::fix::define::Presence::held($member) {
            $crate::fix::Value::write(value, $crate::fix::define::prefix!($tag), $encoder);
        }
    };
}

/// Codes of one character: an enum and how it is read and written. A character it does not have is out of range.
macro_rules! codes {
    (
        $(#[$doc:meta])* $name:ident {
            $(#[$first_doc:meta])* $first_code:literal $first:ident,
            $($(#[$code_doc:meta])* $code:literal $variant:ident,)*
        }
    ) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
        #[repr(u8)]
        pub enum $name {
            $(#[$first_doc])*
            #[default]
            $first = $first_code,
            $($(#[$code_doc])* $variant = $code,)*
        }

        impl $crate::fix::Value<'_> for $name {
            #[inline(always)]
            fn read(value: &[u8]) -> Result<Self, $crate::fix::Reason> {
                match value {
                    [$first_code] => Ok($name::$first),
                    $([$code] => Ok($name::$variant),)*
                    [_] => Err($crate::fix::Reason::Range),
                    _ => Err($crate::fix::Reason::Format),
                }
            }

            #[inline(always)]
            fn write<const P: usize>(&self, prefix: &[u8; P], encoder: &mut $crate::fix::Encoder<'_>) {
                encoder.constant(prefix, &[*self as u8]);
            }
        }
    };
}

pub(super) use {codes, component, entry, members, message, prefix, put};
