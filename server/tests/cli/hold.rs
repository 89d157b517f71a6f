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
