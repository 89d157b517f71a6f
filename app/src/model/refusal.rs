//! Whom a refusal for the account is about. Some services say "you may not" where they mean "not to
//! this recipient"; taken at its word for ever, such a mail would keep everybody else's waiting.

/// What is known beside a mail that was refused for the account.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Beside {
    /// Its attempt before this one was refused for the same account, too.
    pub refused_before: bool,
    /// The account took another mail that was claimed after that.
    pub others_accepted: bool,
}

/// Whom a refusal for the account is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum About {
    /// The account, as it says: it is left alone for a while, and the mail is not to blame.
    Account,
    /// This mail: others go on, and its attempts count.
    Mail,
}

/// Judges a refusal for the account.
pub fn about(beside: Beside) -> About {
    if beside.refused_before && beside.others_accepted {
        About::Mail
    } else {
        About::Account
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mail_is_blamed_only_where_the_account_is_proved_to_be_fine() {
        for (refused_before, others_accepted, expected) in [
            (false, false, About::Account),
            (true, false, About::Account),
            (false, true, About::Account),
            (true, true, About::Mail),
        ] {
            let beside = Beside {
                refused_before,
                others_accepted,
            };
            assert_eq!(about(beside), expected, "{beside:?}");
        }
    }
}
