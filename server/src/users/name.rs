//! What people and programs may be called: names that are what they look like, and that the record
//! does not read as something else.

use super::{AddError, LONGEST_NAME};
use app::model::actor::Actor;
use unicode_normalization::UnicodeNormalization;

/// What the record calls acts of this program's own.
const OWN: &str = "denpyo";

/// Whether somebody may be called so.
pub(crate) fn check_name(name: &str) -> Result<(), AddError> {
    if !can_be_seen(name) || name.contains(char::is_whitespace) {
        return Err(AddError::Name);
    }
    // As it looks: full-width and other forms of a letter are that letter.
    let looks: String = name.nfkc().flat_map(char::to_lowercase).collect();
    if looks == OWN || !matches!(Actor::of(&looks), Actor::Person(_)) {
        return Err(AddError::Reserved(name.to_owned()));
    }
    Ok(())
}

/// Whether a name is of a fit length, and nothing in it is hidden: two names that look alike are one to
/// whoever reads the record, and a turned direction rewrites the line around it.
pub(crate) fn can_be_seen(name: &str) -> bool {
    (1..=LONGEST_NAME).contains(&name.chars().count())
        && !name.chars().any(|c| c.is_control() || is_hidden(c))
}

/// Characters of the category Cf, those that Unicode has programs leave out where they do not know
/// them (Default_Ignorable_Code_Point), and the separators and the pattern that are blank.
pub(crate) fn is_hidden(c: char) -> bool {
    matches!(c,
        '\u{ad}' | '\u{34f}' | '\u{600}'..='\u{605}' | '\u{61c}' | '\u{6dd}' | '\u{70f}'
        | '\u{890}' | '\u{891}' | '\u{8e2}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}'
        | '\u{180b}'..='\u{180f}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}'
        | '\u{2060}'..='\u{206f}' | '\u{2800}' | '\u{3164}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}'
        | '\u{ffa0}' | '\u{fff0}'..='\u{fffb}' | '\u{110bd}' | '\u{110cd}'
        | '\u{13430}'..='\u{1343f}' | '\u{1bca0}'..='\u{1bca3}' | '\u{1d173}'..='\u{1d17a}'
        | '\u{e0000}'..='\u{e0fff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nobody_is_called_as_programs_are() {
        for name in [
            "api",
            "API",
            "ａｐｉ",
            "ＡＰＩ",
            "denpyo",
            "Ｄenpyo",
            "web-1:4711",
            "vm:4711",
            "vm：４７１１",
            ":1",
        ] {
            assert!(
                matches!(check_name(name), Err(AddError::Reserved(_))),
                "{name}"
            );
        }
        for name in [
            "apiarist",
            "sato",
            "佐藤",
            "a:b",
            "vm:4711x",
            "sato@example.jp",
            "ａｂｃ",
        ] {
            assert!(check_name(name).is_ok(), "{name}");
        }
    }

    #[test]
    fn a_name_is_what_it_looks_like() {
        for hidden in [
            '\u{ad}',
            '\u{200b}',
            '\u{200d}',
            '\u{202e}',
            '\u{2063}',
            '\u{2066}',
            '\u{feff}',
            '\u{fe0f}',
            '\u{3164}',
            '\u{e0001}',
            '\u{e0100}',
            '\u{34f}',
            '\u{0}',
            '\n',
            '\u{85}',
            '\u{2028}',
        ] {
            for name in [
                format!("ad{hidden}min"),
                format!("admin{hidden}"),
                format!("{hidden}admin"),
            ] {
                assert!(matches!(check_name(&name), Err(AddError::Name)), "{name:?}");
                assert!(!can_be_seen(&name), "{name:?}");
            }
        }
        for name in ["", "ha nako", "花\u{3000}子", &"x".repeat(65)] {
            assert!(matches!(check_name(name), Err(AddError::Name)), "{name:?}");
        }
        assert!(can_be_seen("the shop's own"));
    }
}
