//! What a password set at the desk must be. Length is what protects it; the rest keeps out what
//! guessing begins with.

use serde::{Deserialize, Serialize};

/// Shortest password, in characters.
pub const SHORTEST: usize = 10;
/// Longest password, in bytes. A longer one is refused at once: hashing costs by length.
pub const LONGEST: usize = 1024;
/// So many different characters at least.
const DIFFERENT: usize = 5;

/// What guessing begins with, as far as it is long enough.
const COMMON: [&str; 14] = [
    "passwordpassword",
    "password12",
    "password123",
    "password1234",
    "passw0rd123",
    "p@ssw0rd123",
    "administrator",
    "qwertyuiop",
    "qwerty12345",
    "1qaz2wsx3edc",
    "1q2w3e4r5t",
    "q1w2e3r4t5",
    "iloveyou123",
    "welcome123",
];

/// Why a password is not taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Fault {
    /// Too few characters.
    Short,
    /// Too many bytes.
    Long,
    /// Little more than the sign-in name.
    Name,
    /// Few different characters, a row of neighbours, or a common one.
    Simple,
}

/// Whether a password may be set for the user of that name.
pub fn check(password: &str, name: &str) -> Result<(), Fault> {
    if password.len() > LONGEST {
        return Err(Fault::Long);
    }
    let chars: Vec<char> = password.chars().collect();
    if chars.len() < SHORTEST {
        return Err(Fault::Short);
    }
    let small = password.to_lowercase();
    let name = name.to_lowercase();
    // The name may be in it, among enough else.
    if !name.is_empty() && small.replace(&name, "").chars().count() < SHORTEST / 2 {
        return Err(Fault::Name);
    }
    let mut different = chars.clone();
    different.sort_unstable();
    different.dedup();
    let neighbours = |step: i64| {
        chars
            .windows(2)
            .all(|two| i64::from(u32::from(two[1])) - i64::from(u32::from(two[0])) == step)
    };
    let digits = ["1234567890".repeat(2), "0987654321".repeat(2)];
    if different.len() < DIFFERENT
        || neighbours(1)
        || neighbours(-1)
        || digits.iter().any(|row| row.contains(&small))
        || COMMON.contains(&&*small)
    {
        return Err(Fault::Simple);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_guessing_begins_with_is_refused() {
        for (password, fault) in [
            ("", Fault::Short),
            ("short", Fault::Short),
            ("ひみつのことば", Fault::Short),
            ("hanako1234", Fault::Name),
            ("HANAKOhanako", Fault::Name),
            ("aaaaaaaaaaaa", Fault::Simple),
            ("abababababab", Fault::Simple),
            ("1234567890", Fault::Simple),
            ("12345678901", Fault::Simple),
            ("0987654321", Fault::Simple),
            ("abcdefghijkl", Fault::Simple),
            ("Password123", Fault::Simple),
        ] {
            assert_eq!(check(password, "hanako"), Err(fault), "{password}");
        }
        assert_eq!(check(&"ab cd ".repeat(200), "hanako"), Err(Fault::Long));
    }

    #[test]
    fn what_is_long_enough_is_taken() {
        for password in [
            "correct horse",
            "ひみつのことばはこれ",
            "hanako likes tea",
            "k7hm-wq3e-xt5n-b2rd",
        ] {
            assert_eq!(check(password, "hanako"), Ok(()), "{password}");
        }
        assert_eq!(check("correct horse", ""), Ok(()));
    }
}
