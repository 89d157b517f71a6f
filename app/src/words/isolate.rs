//! Text that others wrote, inside a sentence.

/// Keeps a value that may turn the direction of writing (an order number or a name with
/// right-to-left letters or marks, U+202E above all) from turning the sentence around it: it is
/// put between U+2068 and U+2069, and such marks of its own are left out, since they could end
/// the isolation early. Any other value stays as it is, so that it can be copied and searched for.
pub fn isolate(text: &str) -> String {
    if !text.chars().any(turns) {
        return text.to_owned();
    }
    let inner = text
        .chars()
        .filter(|c| !matches!(c, '\u{2066}'..='\u{2069}'));
    std::iter::once('\u{2068}')
        .chain(inner)
        .chain(std::iter::once('\u{2069}'))
        .collect()
}

/// A mark of direction, or a letter of a script that is written from right to left.
fn turns(c: char) -> bool {
    matches!(
        c,
        '\u{061C}'
            | '\u{200E}'
            | '\u{200F}'
            | '\u{202A}'..='\u{202E}'
            | '\u{2066}'..='\u{2069}'
            | '\u{0590}'..='\u{08FF}'
            | '\u{FB1D}'..='\u{FDFF}'
            | '\u{FE70}'..='\u{FEFF}'
            | '\u{10800}'..='\u{10FFF}'
            | '\u{1E800}'..='\u{1EFFF}'
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::views::{Notice, NoticeKind};
    use crate::words::Lang;

    #[test]
    fn only_what_turns_is_isolated() {
        for plain in ["1001", "注文-1", "O'Hara & Söhne", "ｶﾅ 😀", ""] {
            assert_eq!(isolate(plain), plain);
        }
        assert_eq!(isolate("1\u{202E}2"), "\u{2068}1\u{202E}2\u{2069}");
        assert_eq!(isolate("אבג"), "\u{2068}אבג\u{2069}");
        // It cannot end its own isolation.
        assert_eq!(isolate("1\u{2069}\u{202E}2"), "\u{2068}1\u{202E}2\u{2069}");
    }

    #[test]
    fn titles_and_notices_isolate_what_others_wrote() {
        let order = "10\u{202E}01".to_owned();
        let name = "sa\u{202E}to".to_owned();
        let isolated = [isolate(&order), isolate(&name)];
        for lang in [Lang::Ja, Lang::En] {
            let w = lang.words();
            let title = (w.mail.title)(&order);
            assert!(title.contains(&isolated[0]), "{title}");
            assert!((w.list.none_for)(&order).contains(&isolated[0]));
            let mut named = 0;
            for what in [
                NoticeKind::Resent,
                NoticeKind::NotHeld,
                NoticeKind::AlreadyAccepted,
                NoticeKind::Changed,
                NoticeKind::Copied,
                NoticeKind::CopyTaken,
                NoticeKind::NotAccepted,
                NoticeKind::Canceled,
            ] {
                let notice = Notice {
                    id: 1,
                    order_id: order.clone(),
                    what,
                    by: Some(name.clone()),
                    at: None,
                    attempt: None,
                    copy: None,
                    draft: None,
                };
                let said = (w.notice)(&notice);
                let bare = isolated
                    .iter()
                    .fold(said.clone(), |rest, part| rest.replace(part, ""));
                assert!(!bare.contains('\u{202E}'), "{said}");
                named += usize::from(said != bare);
            }
            assert_eq!(named, 8);
        }
    }
}
