//! Where it listens, and what it prints of that.

use crate::run::{Home, eventually};
use crate::site::{Site, client};
use reqwest::StatusCode;
use std::net::TcpListener;

async fn alive(url: &str) -> bool {
    let answer = client().get(format!("{url}/healthz")).send().await;
    answer.is_ok_and(|a| a.status() == StatusCode::OK)
}

#[tokio::test]
async fn the_printed_address_can_be_clicked() {
    for (listen, printed, also) in [
        ("127.0.0.1:0", "http://127.0.0.1:", &[][..]),
        ("0.0.0.0:0", "http://localhost:", &["127.0.0.1"]),
        ("[::1]:0", "http://[::1]:", &[]),
        ("[::]:0", "http://localhost:", &["[::1]", "127.0.0.1"]),
        ("localhost:0", "http://localhost:", &["127.0.0.1", "[::1]"]),
        (
            " LOCALHOST:0 ",
            "http://localhost:",
            &["127.0.0.1", "[::1]"],
        ),
    ] {
        let mut home = Home::sqlite().await;
        home.set("LISTEN", listen);
        let site: Site = home.web().await;
        let port = site.address.strip_prefix(printed).expect(&site.address);
        let port: u16 = port.parse().expect("the real port");
        assert_ne!(port, 0);
        assert!(alive(&site.address).await, "{listen}: {}", site.address);
        for host in also {
            assert!(
                alive(&format!("http://{host}:{port}")).await,
                "{listen}: {host}"
            );
        }
        if listen == "127.0.0.1:0" {
            assert!(
                !alive(&format!("http://[::1]:{port}")).await,
                "nowhere else"
            );
        }
    }
}

#[tokio::test]
async fn what_cannot_be_listened_on_stops_with_the_right_form() {
    let holder = TcpListener::bind("127.0.0.1:0").unwrap();
    let held = holder.local_addr().unwrap();
    let everywhere = format!("0.0.0.0:{}", held.port());
    let named = format!("localhost:{}", held.port());
    let held = held.to_string();
    for (listen, words) in [
        ("::1:3000", "stands in brackets: [::1]:3000"),
        (":3000", "0.0.0.0:3000"),
        ("0.0.0.0", "port is missing"),
        ("127.0.0.1", "port is missing"),
        ("3000", "port is missing"),
        ("[::1]", "port"),
        ("shop.example:3000", "not resolved"),
        ("127.0.0.1:65536", "up to 65535"),
        ("127.0.0.1:http", "up to 65535"),
        ("http://127.0.0.1:3000", "ADDRESS:PORT"),
        ("127.0.0.1:3000/desk", "ADDRESS:PORT"),
        ("192.0.2.1:3000", "no such address"),
        (held.as_str(), "another program listens there"),
        (everywhere.as_str(), "another program listens there"),
        (named.as_str(), "another program listens there"),
    ] {
        let mut home = Home::sqlite().await;
        home.set("LISTEN", listen);
        let done = home.run(["serve"], b"");
        assert_eq!(done.code, 1, "{listen} {done:?}");
        assert!(done.err.contains("DENPYO_LISTEN"), "{listen}: {done:?}");
        assert!(
            done.err.contains(&format!("{listen:?}")),
            "the value of {done:?}"
        );
        assert!(done.err.contains(words), "{listen}: {done:?}");
        let done = home.run(["sandbox", "--listen", listen], b"");
        assert_eq!(done.code, 1, "{listen} {done:?}");
        assert!(done.err.contains("--listen"), "{listen}: {done:?}");
    }
    drop(holder);
}

#[tokio::test]
async fn a_sandbox_takes_mails_and_stops() {
    let mut home = Home::sqlite().await;
    let mut sandbox = home.start(["sandbox", "--listen", "localhost:0"]);
    let address = sandbox.says("The sandbox is at ").await;
    home.send_through(&address);
    let site = home.serve().await;
    let id = site.enqueue("1001").await;
    let row = site.row_in(id, "synced").await;
    let messages = eventually("the mail", async || {
        let answer = client().get(format!("{address}/_sandbox/messages"));
        let list: serde_json::Value = answer.send().await.unwrap().json().await.unwrap();
        let one = list["messages"].as_array().unwrap().len() == 1;
        one.then_some(list)
    })
    .await;
    assert_eq!(messages["messages"][0]["ref"], row["ref"]);
    assert_eq!(
        messages["messages"][0]["message_id"],
        row["provider_message_id"]
    );
    sandbox.signal("TERM");
    assert_eq!(sandbox.exit().await, 0);
}

#[tokio::test]
async fn a_second_signal_does_not_wait() {
    let mut home = Home::sqlite().await;
    let service = crate::common::RunningSandbox::start().await;
    let hang = denpyo::sandbox::Faults {
        accept_then_hang: 1.0,
        ..denpyo::sandbox::Faults::default()
    };
    service.sandbox.set_faults(hang).unwrap();
    home.send_through(&service.url).lease(100_000, 200_000);
    let mut site = home.serve().await;
    site.enqueue("1001").await;
    eventually("the post", async || {
        (service.sandbox.messages().len() == 1).then_some(())
    })
    .await;
    site.program.signal("INT");
    site.program.logs("finishing what is in flight").await;
    site.program.signal("INT");
    assert_eq!(site.program.exit().await, 1);
    let rows = "SELECT COUNT(*) FROM email_submissions WHERE status = 'requesting'";
    assert_eq!(home.db.number(rows).await, 1);
}
