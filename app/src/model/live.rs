//! What the live stream says: that something changed, and which mails; never what is in them.

use super::Moment;
use chrono::DateTime;
use std::fmt;

/// So many mails are named; of more it is only said that there are many.
pub const MOST_NAMED: usize = 100;

/// What has changed since the last message.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Changed {
    /// Nothing.
    #[default]
    Nothing,
    /// These mails.
    These(Vec<i64>),
    /// Anything may have.
    Anything,
}

impl Changed {
    /// Whether a page that shows this mail has to be read again.
    pub fn touches(&self, id: i64) -> bool {
        match self {
            Changed::Nothing => false,
            Changed::These(ids) => ids.contains(&id),
            Changed::Anything => true,
        }
    }

    /// Both changes as one.
    #[must_use]
    pub fn and(self, other: Changed) -> Changed {
        match (self, other) {
            (Changed::Nothing, one) | (one, Changed::Nothing) => one,
            (Changed::These(mut ids), Changed::These(more)) => {
                ids.extend(more);
                ids.sort_unstable();
                ids.dedup();
                if ids.len() > MOST_NAMED {
                    Changed::Anything
                } else {
                    Changed::These(ids)
                }
            }
            _ => Changed::Anything,
        }
    }
}

/// A message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pulse {
    /// When the database was looked at.
    pub at: Moment,
    /// How many mails need checking.
    pub check: i64,
    /// What has changed.
    pub changed: Changed,
}

/// The last message of a stream whose session is over.
pub const ENDED: &str = "ended";
/// The last message of a stream that makes room for a newer one of the same session.
pub const ELSEWHERE: &str = "elsewhere";

impl fmt::Display for Pulse {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {} ", self.at.0.to_rfc3339(), self.check)?;
        match &self.changed {
            Changed::Nothing => f.write_str("-"),
            Changed::Anything => f.write_str("*"),
            Changed::These(ids) => {
                for (i, id) in ids.iter().enumerate() {
                    let comma = if i > 0 { "," } else { "" };
                    write!(f, "{comma}{id}")?;
                }
                Ok(())
            }
        }
    }
}

impl Pulse {
    /// Reads what `Display` wrote; `None` for anything else.
    pub fn parse(text: &str) -> Option<Pulse> {
        let mut words = text.split(' ');
        let at = Moment(DateTime::parse_from_rfc3339(words.next()?).ok()?);
        let check = words.next()?.parse().ok()?;
        let changed = match words.next()? {
            "-" => Changed::Nothing,
            "*" => Changed::Anything,
            ids => Changed::These(
                ids.split(',')
                    .map(|id| id.parse().ok())
                    .collect::<Option<_>>()?,
            ),
        };
        words
            .next()
            .is_none()
            .then_some(Pulse { at, check, changed })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_is_read_as_it_was_written() {
        let at = Moment(DateTime::parse_from_rfc3339("2026-11-30T14:02:11.000123+09:00").unwrap());
        for changed in [
            Changed::Nothing,
            Changed::Anything,
            Changed::These(vec![1]),
            Changed::These(vec![3, 20, 104_058]),
        ] {
            let pulse = Pulse {
                at,
                check: 5,
                changed,
            };
            assert_eq!(Pulse::parse(&pulse.to_string()), Some(pulse));
        }
        for odd in ["", ENDED, ELSEWHERE, "2026-11-30 1 -", "now 1 *"] {
            assert_eq!(Pulse::parse(odd), None, "{odd}");
        }
    }

    #[test]
    fn changes_add_up() {
        let these = |ids: &[i64]| Changed::These(ids.to_vec());
        assert_eq!(these(&[1, 2]).and(these(&[2, 3])), these(&[1, 2, 3]));
        assert_eq!(Changed::Nothing.and(these(&[1])), these(&[1]));
        assert_eq!(these(&[1]).and(Changed::Anything), Changed::Anything);
        let many: Vec<i64> = (0..60).collect();
        let more: Vec<i64> = (60..120).collect();
        assert_eq!(these(&many).and(these(&more)), Changed::Anything);
        assert!(these(&[7]).touches(7) && !these(&[7]).touches(8));
    }
}
