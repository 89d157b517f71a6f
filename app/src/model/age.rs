//! How long ago the last attempt of a mail that needs checking began.

use serde::{Deserialize, Serialize};

/// An age; each ends where the next one begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Age {
    /// Less than 15 minutes.
    Minutes,
    /// Less than an hour.
    Hour,
    /// Less than a day.
    Day,
    /// A day and more.
    Older,
}

impl Age {
    /// Every age, youngest first.
    pub const ALL: [Age; 4] = [Age::Minutes, Age::Hour, Age::Day, Age::Older];

    /// Seconds since the attempt's claim with which it begins.
    pub fn begins(self) -> i64 {
        match self {
            Age::Minutes => 0,
            Age::Hour => 15 * 60,
            Age::Day => 60 * 60,
            Age::Older => 24 * 60 * 60,
        }
    }

    /// That of an attempt claimed so many seconds ago.
    pub fn of(seconds: i64) -> Age {
        let begun = Age::ALL.into_iter().rfind(|age| age.begins() <= seconds);
        begun.unwrap_or(Age::Minutes)
    }

    /// Its place among all.
    pub fn index(self) -> usize {
        self as usize
    }

    /// The word in the URL.
    pub fn as_str(self) -> &'static str {
        match self {
            Age::Minutes => "15m",
            Age::Hour => "1h",
            Age::Day => "1d",
            Age::Older => "older",
        }
    }

    /// Reads the word.
    pub fn parse(word: &str) -> Option<Age> {
        Age::ALL.into_iter().find(|age| age.as_str() == word)
    }

    /// The query string of the page that shows mails of this age, or of any.
    pub fn query(age: Option<Age>) -> String {
        age.map_or_else(String::new, |age| format!("age={}", age.as_str()))
    }
}

#[cfg(test)]
mod tests {
    use super::Age;

    #[test]
    fn every_second_has_one_age() {
        let ages = [-5, 0, 899, 900, 3_599, 3_600, 86_399, 86_400].map(Age::of);
        let [a, b, c, d] = Age::ALL;
        assert_eq!(ages, [a, a, a, b, b, c, c, d]);
    }

    #[test]
    fn the_url_names_each_and_nothing_else() {
        for (i, age) in Age::ALL.into_iter().enumerate() {
            assert_eq!((Age::parse(age.as_str()), age.index()), (Some(age), i));
        }
        for word in ["", "2h", "OLDER", "15m,1h"] {
            assert_eq!(Age::parse(word), None, "{word}");
        }
        assert_eq!(Age::query(Some(Age::Day)), "age=1d");
        assert_eq!(Age::query(None), "");
    }
}
