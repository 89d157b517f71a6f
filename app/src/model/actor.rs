//! Who acted, read from the name that is stored of an act or a claim.

/// Who acted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Actor<'a> {
    /// A person, by their sign-in name.
    Person(&'a str),
    /// A program, through the API.
    Api,
    /// A process of Denpyo's, such as `web-1:4711`.
    Process(&'a str),
}

impl<'a> Actor<'a> {
    /// Reads the stored name. Nobody may be called as what is no person here: sign-in names hold no
    /// blanks, so that `api NAME` is none, and are asked by this rule; a process ends in its number.
    pub fn of(stored: &'a str) -> Actor<'a> {
        let number = stored.rsplit_once(':').map(|(_, number)| number);
        if stored == "api" || stored.starts_with("api ") {
            Actor::Api
        } else if number.is_some_and(|n| !n.is_empty() && n.bytes().all(|b| b.is_ascii_digit())) {
            Actor::Process(stored)
        } else {
            Actor::Person(stored)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Actor;

    #[test]
    fn people_programs_and_processes_are_told_apart() {
        for (stored, expected) in [
            ("lead1", Actor::Person("lead1")),
            ("apiarist", Actor::Person("apiarist")),
            ("api", Actor::Api),
            ("api shop", Actor::Api),
            ("web-1:4711", Actor::Process("web-1:4711")),
            ("a:b", Actor::Person("a:b")),
        ] {
            assert_eq!(Actor::of(stored), expected, "{stored}");
        }
    }
}
