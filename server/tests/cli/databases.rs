//! Databases that cannot be used.

use crate::run::{Home, finish};
use crate::settings::failed;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Command;

/// Commands that open the database.
const OPENING: [&[&str]; 6] = [
    &["serve"],
    &["worker"],
    &["migrate"],
    &["enqueue"],
    &["check"],
    &["user", "add", "sato", "--role", "lead"],
];

#[tokio::test]
async fn a_database_that_cannot_be_opened_is_told_by_kind() {
    let mut home = Home::sqlite().await;
    let folder = home.folder.path().to_path_buf();
    std::fs::write(folder.join("letter.txt"), "拝啓 ".repeat(1000)).unwrap();
    std::fs::create_dir(folder.join("folder.db")).unwrap();
    for (url, word) in [
        ("sqlite:", "no path"),
        ("sqlite::memory:", "a database in memory"),
        ("sqlite://:memory:", "a database in memory"),
        ("sqlite:shop.db?mode=ro", "as `sqlite:denpyo.db`"),
        ("sqlite://?mode=memory", "parameters behind `?`"),
        ("sqlite:file:shop.db", "a `file:` URI"),
        ("sqlite:nowhere/denpyo.db", "folder nowhere does not exist"),
        ("sqlite:letter.txt", "letter.txt is not a SQLite database"),
        ("sqlite:folder.db", "folder.db"),
        (
            "postgres://denpyo:hunter2@127.0.0.1:1/denpyo",
            "cannot be reached",
        ),
        (
            "postgres://denpyo:hunter2@[::1:1/denpyo",
            "valid postgres:// URL",
        ),
        ("denpyo.db", "sqlite:PATH"),
    ] {
        home.set("DATABASE_URL", url);
        for args in OPENING {
            // These wait for a server (see the tests of processes).
            if word == "cannot be reached" && matches!(args, ["serve"] | ["worker"]) {
                continue;
            }
            let done = home.run(args.iter().copied(), b"password\n");
            failed(&done, 1);
            let said = done.out + &done.err;
            assert!(said.contains(word), "{url} {args:?}: {said}");
            assert!(!said.contains("hunter2"), "{said}");
        }
    }
    assert_eq!(
        std::fs::read(folder.join("letter.txt")).unwrap().len(),
        7000
    );
    // Nothing was made of such a name.
    let files: Vec<_> = std::fs::read_dir(&folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name())
        .filter(|name| name.to_string_lossy().contains(['?', ':']))
        .collect();
    assert!(files.is_empty(), "{files:?}");
}

/// As a user who is not root: root may write everywhere.
fn as_nobody(command: &Command, folder: &Path) -> Command {
    let root = std::fs::metadata("/proc/self").unwrap();
    if std::os::unix::fs::MetadataExt::uid(&root) != 0 {
        let mut same = Command::new(command.get_program());
        same.args(command.get_args());
        set(&mut same, command, folder);
        return same;
    }
    // Where nobody may go, the program is copied to where nobody may.
    let program = folder.join("denpyo");
    // By another process: what this one has open for writing, the children of other tests may have
    // too for a moment, and nobody could start it then.
    let copied = Command::new("cp")
        .arg(command.get_program())
        .arg(&program)
        .status();
    assert!(copied.unwrap().success());
    std::fs::set_permissions(&program, PermissionsExt::from_mode(0o755)).unwrap();
    let mut runuser = Command::new("runuser");
    runuser
        .args(["-u", "nobody", "--"])
        .arg(program)
        .args(command.get_args());
    set(&mut runuser, command, folder);
    runuser
}

fn set(to: &mut Command, from: &Command, folder: &Path) {
    to.current_dir(folder);
    for (name, value) in from.get_envs() {
        match value {
            Some(value) => to.env(name, value),
            None => to.env_remove(name),
        };
    }
}

#[tokio::test]
async fn a_place_that_may_only_be_read_has_its_own_sentence() {
    let mut home = Home::sqlite().await;
    let folder = home.folder.path().to_path_buf();
    home.set("DATABASE_URL", "sqlite:shop.db");
    home.migrate();
    for mode in [0o555, 0o755] {
        // Another user's folder, then one whose file may be written but not the folder.
        std::fs::set_permissions(&folder, PermissionsExt::from_mode(0o755)).unwrap();
        let file = if mode == 0o555 { 0o444 } else { 0o666 };
        std::fs::set_permissions(folder.join("shop.db"), PermissionsExt::from_mode(file)).unwrap();
        let command = as_nobody(&home.command(["check"]), &folder);
        std::fs::set_permissions(&folder, PermissionsExt::from_mode(0o555)).unwrap();
        let done = finish(command, b"");
        std::fs::set_permissions(&folder, PermissionsExt::from_mode(0o755)).unwrap();
        failed(&done, 1);
        assert!(
            done.out.contains("cannot be written by this user"),
            "{done:?}"
        );
        assert!(done.out.contains("permission denied"), "{done:?}");
    }
}
