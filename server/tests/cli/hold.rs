//! `denpyo hold` and `denpyo release`.

use crate::run::{Home, on_both};

on_both!(hold_counts_what_it_holds);

async fn hold_counts_what_it_holds(home: Home) {
    home.migrate();
    for order in ["1", "2"] {
        home.db.insert(order).await;
    }
    let hold = || home.run(["hold", "--reason", "restored"], b"").out;
    let said = hold();
    assert!(said.starts_with("2 mails held, 2 of them newly."), "{said}");
    let said = hold();
    assert!(
        said.starts_with("2 mails held, none of them newly."),
        "{said}"
    );
    let said = home.run(["release"], b"").out;
    assert_eq!(said, "2 mails were let go.\n");
}

#[tokio::test]
async fn no_database_is_made_in_a_wrong_folder() {
    let mut home = Home::sqlite().await;
    home.unset("DATABASE_URL");
    let file = home.folder.path().join("denpyo.db");
    let shown = file.display().to_string();
    for args in [
        &["hold", "--reason", "restored"][..],
        &["release"],
        &["enqueue"],
    ] {
        let done = home.run(args.iter().copied(), b"");
        assert_eq!(done.code, 1, "{done:?}");
        assert!(done.err.contains(&shown), "{done:?}");
        assert!(!file.exists());
    }
    // It may come before the first start, and says where.
    let done = home.run(["user", "add", "sato", "--role", "lead"], b"a password\n");
    assert_eq!(done.code, 0, "{done:?}");
    assert!(done.out.contains(&shown) && file.exists(), "{done:?}");
}
