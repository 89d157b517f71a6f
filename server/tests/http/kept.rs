//! What somebody wrote into a form that was not taken: a page without scripts shows it again.

use crate::common::{settled, unknown};
use crate::run::{Home, on_both};
use crate::site::{Site, With, header};
use denpyo::outbox::hold::{By, hold_all};

const PASSWORD: &str = "correct horse";
/// What comes back is text, whatever was written.
const WHY: &str = "記録に</textarea><b>ありました。&amp;";
const ESCAPED: &str = "記録に&lt;/textarea&gt;&lt;b&gt;ありました。&amp;amp;";
/// Over what was written, in both languages.
const TYPED: [(&str, &str); 2] = [
    ("ja", "入力していた内容（使っていません）"),
    ("en", "What you wrote, which was not used"),
];

on_both!(
    a_refused_answer_keeps_its_reason,
    a_refused_release_keeps_its_reason,
    a_refused_release_of_many_keeps_its_reason,
);

async fn read(site: &Site, session: &str, path: &str, lang: &str) -> String {
    let page = site.get(path).with(session).header("accept-language", lang);
    let page = page.send().await.unwrap().text().await.unwrap();
    page.replace("<!>", "")
}

/// Presses a form's button without scripts; what was written goes into no address and no cookie.
async fn press(site: &Site, session: &str, path: &str, act: &str, fields: &[(&str, &str)]) {
    let form = site.form(&format!("/_desk/{act}"), fields);
    let form = form.header("referer", format!("{}{path}", site.address));
    let answer = form.with(session).send().await.unwrap();
    assert!(answer.status().is_redirection(), "{}", answer.status());
    let to = header(&answer, "location");
    let to = to.strip_prefix(&site.address).unwrap_or(to);
    assert_eq!(to.trim_end_matches('?'), path);
    for cookie in answer.headers().get_all("set-cookie") {
        let cookie = cookie.to_str().unwrap();
        assert!(cookie.starts_with("denpyo="), "{cookie}");
    }
}

/// The tag with this attribute, and what follows it.
fn tag<'a>(page: &'a str, attribute: &str) -> (&'a str, &'a str) {
    let at = page.find(attribute).expect(attribute);
    let begins = page[..at].rfind('<').unwrap();
    page[begins..].split_once('>').unwrap()
}

/// A textarea's content, and its tag.
fn field<'a>(page: &'a str, id: &str) -> (&'a str, &'a str) {
    let (tag, rest) = tag(page, &format!(" id=\"{id}\""));
    (rest.split_once("</textarea>").unwrap().0, tag)
}

/// Whether the form with this class is open.
fn open(page: &str, class: &str) -> bool {
    let (tag, _) = tag(page, &format!("class=\"{class}\""));
    assert!(tag.starts_with("<details"), "{tag}");
    tag.contains(" open")
}

/// What was not used, as the page tells it.
fn typed<'a>(page: &'a str, lang: &str) -> Option<&'a str> {
    let head = TYPED.iter().find(|(of, _)| *of == lang).unwrap().1;
    let (_, rest) = page.split_once(head)?;
    let (_, rest) = rest.split_once("<dd>")?;
    Some(rest.split_once("</dd>")?.0)
}

async fn a_refused_answer_keeps_its_reason(home: Home) {
    home.add_user("sato", "support", PASSWORD);
    let site = home.web().await;
    let session = &site.sign_in("sato", PASSWORD).await;
    let id = settled(&home.db, "1001", &unknown()).await;
    let version = home.db.row(id).await.version;
    let answer = async |version: i64, answer: &str, reason: &str| {
        let fields = [
            ("id", &*id.to_string()),
            ("version", &version.to_string()),
            ("answer", answer),
            ("reason", reason),
        ];
        press(&site, session, "/stuck", "resolve", &fields).await;
    };
    let names = [("sent", "not_sent"), ("not_sent", "sent")];
    for (lang, (given, other)) in ["ja", "en"].into_iter().zip(names) {
        let [of_given, of_other] = [given, other].map(|name| format!("why-{id}-{name}"));
        // It has changed, and is in doubt all the same: to be looked at before the same is said again.
        answer(version - 1, given, WHY).await;
        let page = read(&site, session, "/stuck", lang).await;
        assert_eq!(typed(&page, lang), Some(ESCAPED), "{lang}");
        assert_eq!(field(&page, &of_given).0, ESCAPED, "{lang} {given}");
        assert_eq!(field(&page, &of_other).0, "", "{lang} {given}");
        assert!(!open(&page, &format!("ask {given}")), "{lang} {given}");
        // Told once.
        let page = read(&site, session, "/stuck", lang).await;
        assert_eq!((typed(&page, lang), field(&page, &of_given).0), (None, ""));
        // The reason alone was missing: there the form waits for it.
        answer(version, given, " 　").await;
        let page = read(&site, session, "/stuck", lang).await;
        assert_eq!(typed(&page, lang), None);
        for (name, missing) in [(given, true), (other, false)] {
            let tag = field(&page, &format!("why-{id}-{name}")).1;
            assert_eq!(tag.contains("aria-invalid=\"true\""), missing, "{tag}");
            assert_eq!(open(&page, &format!("ask {name}")), missing, "{name}");
        }
    }
    // Somebody was faster: there is no form any more, and what was written can be copied.
    answer(version, "sent", "checked").await;
    for (lang, _) in TYPED {
        answer(version, "not_sent", WHY).await;
        let page = read(&site, session, "/stuck", lang).await;
        assert_eq!(typed(&page, lang), Some(ESCAPED), "{lang}");
        assert!(!page.contains("class=\"case\""));
    }
}

async fn a_refused_release_keeps_its_reason(home: Home) {
    home.add_user("sato", "support", PASSWORD);
    let site = home.web().await;
    let session = &site.sign_in("sato", PASSWORD).await;
    let id = home.db.insert("1001").await;
    hold_all(&home.db, By::Hold, "until checked").await.unwrap();
    let version = home.db.row(id).await.version;
    let path = &format!("/submissions/{id}");
    let release = async |version: i64, reason: &str| {
        let fields = [
            ("id", &*id.to_string()),
            ("version", &version.to_string()),
            ("reason", reason),
        ];
        press(&site, session, path, "release", &fields).await;
    };
    for (lang, _) in TYPED {
        release(version - 1, WHY).await;
        let page = read(&site, session, path, lang).await;
        assert_eq!(typed(&page, lang), Some(ESCAPED), "{lang}");
        assert_eq!(field(&page, "why-release").0, ESCAPED, "{lang}");
        assert!(!open(&page, "ask release"), "{lang}");
        release(version, " ").await;
        let page = read(&site, session, path, lang).await;
        assert!(open(&page, "ask release"), "{lang}");
        assert!(
            field(&page, "why-release")
                .1
                .contains("aria-invalid=\"true\"")
        );
    }
    release(version, "checked").await;
    for (lang, _) in TYPED {
        release(version, WHY).await;
        let page = read(&site, session, path, lang).await;
        assert_eq!(typed(&page, lang), Some(ESCAPED), "{lang}");
    }
}

async fn a_refused_release_of_many_keeps_its_reason(home: Home) {
    home.add_user("suzuki", "lead", PASSWORD);
    let site = home.web().await;
    let session = &site.sign_in("suzuki", PASSWORD).await;
    home.db.insert("1001").await;
    hold_all(&home.db, By::Hold, "until checked").await.unwrap();
    let path = "/submissions?needs=held";
    let release = async |reason: &str| {
        let fields = [
            ("query", "needs=held"),
            ("count", "9"),
            ("newest", "1"),
            ("versions", "9"),
            ("reason", reason),
        ];
        press(&site, session, path, "release_many", &fields).await;
    };
    for (lang, _) in TYPED {
        release(WHY).await;
        let page = read(&site, session, path, lang).await;
        assert_eq!(typed(&page, lang), Some(ESCAPED), "{lang}");
        assert_eq!(field(&page, "why-release").0, ESCAPED, "{lang}");
        assert!(!open(&page, "ask release lot"), "{lang}");
    }
    // Forms send a line break as two characters; it counts as one.
    let lines = vec!["確認しました。"; 120].join("\n");
    release(&lines.replace('\n', "\r\n")).await;
    let page = read(&site, session, path, "ja").await;
    assert_eq!(field(&page, "why-release").0, lines);
}
