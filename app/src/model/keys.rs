//! Which key means what at the desk. A person who writes, or whose input method composes, is never
//! interrupted.

/// A key as the browser tells of it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Press<'a> {
    /// What it writes, or its name.
    pub key: &'a str,
    /// The old number; 229 while an input method has it.
    pub code: u32,
    /// An input method is composing.
    pub composing: bool,
    /// Control, Alt or the command key is held.
    pub held: bool,
    /// What has the focus takes text, or chooses by letters.
    pub writing: bool,
}

/// What a key does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Key {
    /// To the search box.
    Search,
    /// Opens the sheet of keys.
    Help,
}

impl Press<'_> {
    /// An input method has the key: whatever it is, it confirms or changes what is being composed.
    pub fn composes(&self) -> bool {
        self.composing || self.code == 229 || self.key == "Process"
    }

    /// What it does. Shift is no matter: on some keyboards `/` needs it.
    pub fn meaning(&self) -> Option<Key> {
        if self.composes() || self.held || self.writing {
            return None;
        }
        match self.key {
            "/" => Some(Key::Search),
            "?" => Some(Key::Help),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_work_only_where_nobody_writes() {
        let press = |key| Press {
            key,
            code: 191,
            ..Press::default()
        };
        assert_eq!(press("/").meaning(), Some(Key::Search));
        assert_eq!(press("?").meaning(), Some(Key::Help));
        for key in ["／", "？", "Process", "Enter", "a", ""] {
            assert_eq!(press(key).meaning(), None, "{key}");
        }
        for key in ["/", "?"] {
            for other in [
                Press {
                    composing: true,
                    ..press(key)
                },
                Press {
                    code: 229,
                    ..press(key)
                },
                Press {
                    held: true,
                    ..press(key)
                },
                Press {
                    writing: true,
                    ..press(key)
                },
            ] {
                assert_eq!(other.meaning(), None, "{other:?}");
            }
        }
        let confirms = Press {
            key: "Enter",
            code: 229,
            ..Press::default()
        };
        assert!(confirms.composes() && !press("Enter").composes());
    }
}
