//! Clocks that jump: a database's clock alone proves nothing, and makes no second mail.

use crate::common::RunningSandbox;
use crate::faults::{held, in_mid_answer};
use crate::run::{Home, Program, faults};
use crate::site::Site;
use denpyo::sandbox::Faults;
use std::path::Path;
use std::process::Command;

/// The program under libfaketime, whose offset stands in a file; the monotonic clock is left alone.
fn with_clock(home: &Home, offset: &Path) -> Command {
    let library = [
        "/usr/lib/x86_64-linux-gnu",
        "/usr/lib/aarch64-linux-gnu",
        "/usr/lib",
    ]
    .map(|folder| Path::new(folder).join("faketime/libfaketimeMT.so.1"))
    .into_iter()
    .find(|path| path.exists())
    .expect("libfaketime: scripts/setup.sh installs it");
    let mut command = home.command(["serve"]);
    command
        .env("LD_PRELOAD", library)
        .env("FAKETIME_TIMESTAMP_FILE", offset)
        .env("FAKETIME_NO_CACHE", "1")
        .env("FAKETIME_DONT_FAKE_MONOTONIC", "1");
    command
}

/// Sets the clock, at once: a file that is written over is empty for a moment, and so tells the true
/// time.
fn set(offset: &Path, to: &str) {
    let new = offset.with_extension("new");
    std::fs::write(&new, to).unwrap();
    std::fs::rename(new, offset).unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_clock_that_jumps_makes_no_second_mail() {
    let mut home = Home::sqlite().await;
    let service = RunningSandbox::start().await;
    home.send_through(&service.url)
        .lease(3000, 5000)
        .set("LOOKUP_HORIZON", "5m");
    let offset = home.folder.path().join("offset");
    set(&offset, "+0");
    let site = Site::of(Program::start(with_clock(&home, &offset))).await;
    let start = site.enqueue("before").await;
    site.row_in(start, "synced").await;

    // Forward, while the service has the mail and look-ups do not show it.
    let hidden = Faults {
        accept_then_hang: 1.0,
        index_delay_ms: 3_600_000,
        ..Faults::default()
    };
    faults(&service.sandbox, hidden);
    let doubt = in_mid_answer(&site, &service).await;
    set(&offset, "+3600");
    faults(
        &service.sandbox,
        Faults {
            index_delay_ms: 3_600_000,
            ..Faults::default()
        },
    );
    // By the database's clock lease and horizon have passed.
    let row = site
        .row_when(doubt, "two look-ups", |row| {
            let seen = row["observations"].as_array().unwrap();
            seen.iter()
                .filter(|o| o["kind"] == "lookup_not_yet")
                .count()
                >= 2
        })
        .await;
    let after = site.enqueue("after").await;
    assert_eq!(held(&service, &site.row_in(after, "synced").await), 1);
    assert_eq!(
        (row["status"].as_str(), row["attempts"].as_i64()),
        (Some("requesting"), Some(1))
    );

    // Back: what was decided a moment ago lies in the future now.
    let waiting = {
        faults(
            &service.sandbox,
            Faults {
                refuse_429: 1.0,
                index_delay_ms: 3_600_000,
                ..Faults::default()
            },
        );
        let id = site.enqueue("waiting").await;
        site.row_in(id, "failed").await;
        id
    };
    set(&offset, "+0");
    faults(&service.sandbox, Faults::default());
    let after = site.enqueue("after-back").await;
    assert_eq!(held(&service, &site.row_in(after, "synced").await), 1);
    // The look-up shows it now; the retry waits for its time, in the database's clock.
    let row = site.row(waiting).await;
    assert_eq!(
        (row["status"].as_str(), row["attempts"].as_i64()),
        (Some("failed"), Some(1))
    );
    set(&offset, "+3700");
    for id in [doubt, waiting] {
        let row = site.row_in(id, "synced").await;
        assert_eq!(held(&service, &row), 1, "{row}");
    }
}
