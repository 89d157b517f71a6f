//! The stream that tells open pages what has changed.

use crate::run::{Home, PATIENCE, on_both};
use crate::site::{PASSWORD, Site, With, header};
use app::model::live::{Changed, ELSEWHERE, ENDED, Pulse};
use reqwest::{Response, StatusCode};

on_both!(
    changes_arrive_without_what_is_in_them,
    a_stream_ends_with_its_session,
    a_stream_does_not_hold_up_the_end,
);

/// An open stream, read message by message.
struct Stream {
    answer: Response,
    read: String,
    /// Everything that it ever said.
    all: String,
}

impl Stream {
    async fn open(site: &Site, session: &str, query: &str) -> Stream {
        let path = format!("/live{query}");
        let answer = site.get(&path).with(session).send().await.unwrap();
        assert_eq!(answer.status(), StatusCode::OK);
        assert_eq!(header(&answer, "content-type"), "text/event-stream");
        assert_eq!(header(&answer, "cache-control"), "no-store");
        assert_eq!(header(&answer, "x-accel-buffering"), "no");
        Stream {
            answer,
            read: String::new(),
            all: String::new(),
        }
    }

    /// The next message; `None` at the end.
    async fn next(&mut self) -> Option<String> {
        loop {
            if let Some((message, rest)) = self.read.split_once("\n\n") {
                let message = message.strip_prefix("data: ").map(str::to_owned);
                self.read = rest.to_owned();
                match message {
                    Some(message) => return Some(message),
                    None => continue,
                }
            }
            let chunk = tokio::time::timeout(PATIENCE, self.answer.chunk()).await;
            match chunk.expect("a message or the end") {
                Ok(Some(bytes)) => {
                    let text = String::from_utf8(bytes.to_vec()).unwrap();
                    self.all.push_str(&text);
                    self.read.push_str(&text);
                }
                Ok(None) | Err(_) => return None,
            }
        }
    }

    async fn pulse(&mut self) -> Pulse {
        let text = self.next().await.expect("a message");
        Pulse::parse(&text).unwrap_or_else(|| panic!("{text:?}"))
    }

    /// Reads on until it says that a mail has changed.
    async fn tells_of(&mut self, id: i64) -> Pulse {
        loop {
            let pulse = self.pulse().await;
            if pulse.changed.touches(id) {
                return pulse;
            }
        }
    }
}

async fn changes_arrive_without_what_is_in_them(home: Home) {
    let (site, session) = home.desk("support").await;
    let stranger = site.get("/live").send().await.unwrap();
    assert_eq!(stranger.status(), StatusCode::UNAUTHORIZED);
    // Without a time nobody knows what the page has seen.
    let mut blank = Stream::open(&site, &session, "").await;
    assert_eq!(blank.pulse().await.changed, Changed::Anything);

    let id = site.enqueue("order-4711").await;
    let told = blank.tells_of(id).await;
    assert_eq!((told.changed, told.check), (Changed::These(vec![id]), 0));
    let (status, _) = site
        .post(&format!("/{id}/resend"), &serde_json::json!({}))
        .await;
    assert_eq!(status, StatusCode::CONFLICT, "a refusal changes nothing");
    let another = site.enqueue("order-4712").await;
    assert_eq!(
        blank.tells_of(another).await.changed,
        Changed::These(vec![another])
    );
    for inside in ["4711", "example.com", "order"] {
        assert!(!blank.all.contains(inside), "{}", blank.all);
    }

    // A page that was read before is told to read again, one of just now is not.
    let early = "?since=2026-01-01T00%3A00%3A00%2B09%3A00";
    let mut early = Stream::open(&site, &session, early).await;
    assert_eq!(early.pulse().await.changed, Changed::Anything);
    let mut late = Stream::open(&site, &session, "?since=2999-01-01T00%3A00%3A00Z").await;
    assert_eq!(late.pulse().await.changed, Changed::Nothing);
}

async fn a_stream_ends_with_its_session(home: Home) {
    for name in ["sato", "suzuki", "tanaka"] {
        home.add_user(name, "support", PASSWORD);
    }
    let site = home.web().await;
    let mut streams = Vec::new();
    for name in ["sato", "suzuki", "tanaka"] {
        let session = site.sign_in(name, PASSWORD).await;
        let mut stream = Stream::open(&site, &session, "").await;
        stream.pulse().await;
        streams.push((session, stream));
    }
    let (sato, _) = &streams[0];
    let out = site.form("/session/end", &[]).with(sato).send().await;
    assert_eq!(out.unwrap().status(), StatusCode::SEE_OTHER);
    let yes = if home.db.is_postgres() { "TRUE" } else { "1" };
    let disable = format!("UPDATE users SET disabled = {yes} WHERE name = 'suzuki'");
    home.db.run(&disable).await;
    home.db
        .run("UPDATE users SET epoch = epoch + 1 WHERE name = 'tanaka'")
        .await;
    site.enqueue("1001").await;
    for (_, stream) in &mut streams {
        // Not even that something has changed is said any more.
        assert_eq!(stream.next().await.as_deref(), Some(ENDED));
        assert_eq!(stream.next().await, None);
    }
}

async fn a_stream_does_not_hold_up_the_end(home: Home) {
    home.add_user("sato", "support", PASSWORD);
    let mut site = home.serve().await;
    let session = site.sign_in("sato", PASSWORD).await;
    let mut stream = Stream::open(&site, &session, "").await;
    stream.pulse().await;
    site.program.signal("TERM");
    assert_eq!(stream.next().await, None);
    assert_eq!(site.program.exit().await, 0);
}

/// A browser has six connections to a site over HTTP/1.1: streams must leave some of them.
#[tokio::test(flavor = "multi_thread")]
async fn an_older_stream_makes_room_for_a_newer_one() {
    let home = Home::sqlite().await;
    let (site, session) = home.desk("support").await;
    let other = site.sign_in("sato", PASSWORD).await;
    let mut apart = Stream::open(&site, &other, "").await;
    apart.pulse().await;
    let mut streams = Vec::new();
    for _ in 0..7 {
        let mut stream = Stream::open(&site, &session, "").await;
        stream.pulse().await;
        streams.push(stream);
    }
    let newest = streams.split_off(4);
    for mut stream in streams {
        assert_eq!(stream.next().await.as_deref(), Some(ELSEWHERE));
        assert_eq!(stream.next().await, None);
    }
    let id = site.enqueue("1001").await;
    for mut stream in newest {
        stream.tells_of(id).await;
    }
    apart.tells_of(id).await;
}

/// Proxies cut what says nothing for a minute.
#[tokio::test(flavor = "multi_thread")]
async fn a_stream_speaks_though_nothing_happens() {
    let home = Home::sqlite().await;
    let (site, session) = home.desk("support").await;
    let mut stream = Stream::open(&site, &session, "").await;
    let first = stream.pulse().await;
    let second = stream.pulse().await;
    assert_eq!(second.changed, Changed::Nothing);
    assert!((1..=30).contains(&second.at.seconds_since(&first.at)));
}
