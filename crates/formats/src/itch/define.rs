//! From a table of messages to structs, lengths, parsing, writing, [`Message`](super::Message) and [`Visitor`](super::Visitor).

/// `type Name method [in 4.1 too?] { members } { members at the end that only 5.0 has }`
macro_rules! messages {
    ($(
        $(#[$doc:meta])*
        $code:literal $name:ident $method:ident $since:ident
        { $($(#[$member_doc:meta])* $member:ident: $type:ty,)* }
        $(v50 { $($(#[$tail_doc:meta])* $tail:ident: $tail_type:ty,)* })?
    )*) => {
        $(
            $(#[$doc])*
            #[derive(Clone, Copy, Debug, PartialEq, Eq)]
            pub struct $name {
                /// Locate code, tracking number and time.
                pub head: Head,
                $($(#[$member_doc])* pub $member: $type,)*
                $($($(#[$tail_doc])* pub $tail: $tail_type,)*)?
            }

            impl $name {
                /// The type on the wire, ASCII.
                pub const TYPE: u8 = $code;
                /// Length in 5.0, in bytes.
                pub const LENGTH_V50: usize = Head::LENGTH_V50
                    $(+ <$type as Field>::SIZE)* $($(+ <$tail_type as Field>::SIZE)*)?;
                /// Length in 4.1, in bytes; `None` if 4.1 does not have it.
                pub const LENGTH_V41: Option<usize> = $since(Head::LENGTH_V41 $(+ <$type as Field>::SIZE)*);

                #[inline(always)]
                fn read<const V50: bool>(message: &[u8]) -> Option<Self> {
                    let mut rest = message.get(1..)?;
                    let rest = &mut rest;
                    let head = Head::take::<V50>(rest)?;
                    $(let $member = <$type as Field>::take(rest)?;)*
                    $($(let $tail = if V50 { <$tail_type as Field>::take(rest)? } else { Default::default() };)*)?
                    Some($name { head, $($member,)* $($($tail,)*)? })
                }

                fn write(&self, version: Version, out: &mut Vec<u8>) -> Result<(), EmitError> {
                    if version == Version::V41 && Self::LENGTH_V41.is_none() {
                        return Err(EmitError::UnknownType(Self::TYPE));
                    }
                    let start = out.len();
                    out.push(Self::TYPE);
                    if let Err(error) = self.head.put(version, out) {
                        out.truncate(start);
                        return Err(error);
                    }
                    $(self.$member.put(out);)*
                    $(if version == Version::V50 { $(self.$tail.put(out);)* })?
                    Ok(())
                }
            }

            impl From<$name> for Message {
                #[inline(always)]
                fn from(message: $name) -> Self {
                    Message::$name(message)
                }
            }
        )*

        /// Any message of either version.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Message {
            /// `T` of 4.1.
            Seconds(Seconds),
            $($(#[$doc])* $name($name),)*
        }

        impl Message {
            /// The message in these bytes.
            #[inline]
            pub fn parse(version: Version, message: &[u8]) -> Result<Self, Error> {
                let mut parser = Parser(Err(Error::UnknownType(0)));
                super::visit(version, message, &mut parser);
                parser.0
            }

            /// Appends the message to `out`. On an error nothing is appended.
            pub fn emit(&self, version: Version, out: &mut Vec<u8>) -> Result<(), EmitError> {
                match self {
                    Message::Seconds(message) => message.write(version, out),
                    $(Message::$name(message) => message.write(version, out),)*
                }
            }

            /// The type on the wire, ASCII.
            pub const fn message_type(&self) -> u8 {
                match self {
                    Message::Seconds(_) => Seconds::TYPE,
                    $(Message::$name(_) => $name::TYPE,)*
                }
            }

            /// Locate code, tracking number and time; `T` has none.
            pub const fn head(&self) -> Option<&Head> {
                match self {
                    Message::Seconds(_) => None,
                    $(Message::$name(message) => Some(&message.head),)*
                }
            }
        }

        /// Takes messages one by one. Each has its method, which does nothing unless it is written.
        #[allow(unused_variables)]
        pub trait Visitor {
            /// Before the method of every message but `T`: its type and head.
            #[inline(always)]
            fn head(&mut self, message_type: u8, head: Head) {}

            /// Bytes that are not a message of this version.
            #[inline(always)]
            fn refused(&mut self, error: Error) {}

            /// `T` of 4.1.
            #[inline(always)]
            fn seconds(&mut self, message: Seconds) {}

            $(
                $(#[$doc])*
                #[inline(always)]
                fn $method(&mut self, message: $name) {}
            )*
        }

        /// Keeps the message it is given.
        struct Parser(Result<Message, Error>);

        impl Visitor for Parser {
            #[inline(always)]
            fn refused(&mut self, error: Error) {
                self.0 = Err(error);
            }

            #[inline(always)]
            fn seconds(&mut self, message: Seconds) {
                self.0 = Ok(Message::Seconds(message));
            }

            $(
                #[inline(always)]
                fn $method(&mut self, message: $name) {
                    self.0 = Ok(Message::$name(message));
                }
            )*
        }

        /// One look at the table decides whether type and length go together. A method that does nothing then needs no branch, so
        /// a visitor of few types costs few mispredictions; those that do something check the length once more, and load at
        /// constant offsets.
        #[inline(always)]
        pub(super) fn visit<const V50: bool, V: Visitor>(message: &[u8], visitor: &mut V) {
            let lengths = if V50 { &LENGTHS_V50 } else { &LENGTHS_V41 };
            let Some((&message_type, mut rest)) = message.split_first() else {
                return visitor.refused(refusal::<V50>(message));
            };
            if usize::from(lengths[usize::from(message_type)]) != message.len() {
                return visitor.refused(refusal::<V50>(message));
            }
            if !V50 && message_type == Seconds::TYPE {
                if let Some(message) = Seconds::read(message) {
                    visitor.seconds(message);
                }
                return;
            }
            let Some(head) = Head::take::<V50>(&mut rest) else { return };
            visitor.head(message_type, head);
            match message_type {
                $($name::TYPE => {
                    let length = if V50 { $name::LENGTH_V50 } else { $name::LENGTH_V41.unwrap_or(0) };
                    if let Some(message) = message.get(..length).and_then($name::read::<V50>) {
                        visitor.$method(message);
                    }
                })*
                _ => {}
            }
        }

        pub(super) const fn length<const V50: bool>(message_type: u8) -> Option<usize> {
            match message_type {
                Seconds::TYPE if !V50 => Some(Seconds::LENGTH),
                $($name::TYPE => if V50 { Some($name::LENGTH_V50) } else { $name::LENGTH_V41 },)*
                _ => None,
            }
        }

        /// The types of a version, ASCII.
        pub const fn types(version: Version) -> &'static [u8] {
            const V50: &[u8] = &[$($name::TYPE),*];
            const V41: &[u8] = b"TSRHYLAFECXDUPQBIN";
            match version {
                Version::V41 => V41,
                Version::V50 => V50,
            }
        }
    };
}

pub(super) use messages;
