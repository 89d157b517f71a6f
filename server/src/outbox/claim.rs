//! The claim: the only way to `requesting`, and the only key to sending.

use crate::envelope::Envelope;

/// Leave to post one mail now: its claim is durable and its lease outlives the request.
pub struct Permit<'a> {
    envelope: &'a Envelope,
}

impl<'a> Permit<'a> {
    /// The mail to post.
    pub fn envelope(&self) -> &'a Envelope {
        self.envelope
    }

    /// A permit without a claim, for the tests of services alone.
    #[cfg(test)]
    pub(crate) fn for_test(envelope: &'a Envelope) -> Permit<'a> {
        Permit { envelope }
    }
}
