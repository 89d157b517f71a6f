//! `denpyo demo`.

use crate::run::Home;
use crate::site::{Site, client};
use reqwest::StatusCode;
use serde_json::Value;

#[tokio::test(flavor = "multi_thread")]
async fn a_demo_works_as_it_says_and_leaves_nothing() {
    let home = Home::sqlite().await;
    let temporary = home.folder.path().join("tmp");
    std::fs::create_dir(&temporary).unwrap();
    let mut command = home.command(["demo", "--listen", "127.0.0.1:0"]);
    command.env("TMPDIR", &temporary);
    let mut program = crate::run::Program::start(command);
    let address = program.says("伝票 Denpyo デモ / demo: ").await;
    let token = program.says("API token: ").await;
    program.says("Ctrl-C で終わり").await;
    let said = program.out();
    let mut site = Site {
        program,
        address,
        client: client(),
        home: None,
    };
    for name in ["support1", "lead1", "admin1"] {
        let line = said
            .lines()
            .find(|l| l.trim().starts_with(name))
            .expect(name);
        let password = line.split_whitespace().nth(1).unwrap();
        site.sign_in(name, password).await;
    }
    let list = site.get("/api/v1/submissions").bearer_auth(&token);
    let list: Value = list.send().await.unwrap().json().await.unwrap();
    assert_eq!(list["items"].as_array().unwrap().len(), 50);
    let mail = site.ask(reqwest::Method::POST, "/api/v1/submissions");
    let mail = mail.bearer_auth(&token).json(&crate::site::mail("200001"));
    assert_eq!(mail.send().await.unwrap().status(), StatusCode::CREATED);

    site.program.signal("INT");
    assert_eq!(site.program.exit().await, 0, "{:?}", site.program);
    let left: Vec<_> = std::fs::read_dir(&temporary).unwrap().collect();
    assert!(left.is_empty(), "{left:?}");
    let beside: Vec<_> = std::fs::read_dir(home.folder.path()).unwrap().collect();
    assert_eq!(beside.len(), 1, "nothing in the working folder: {beside:?}");
}
