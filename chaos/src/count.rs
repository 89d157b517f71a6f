//! What the table says, compared with what the service has.

use std::collections::HashMap;

/// What a row says of its mail.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Says {
    /// The service accepted it.
    Accepted,
    /// The service did not, or was not asked yet.
    NotAccepted,
    /// Nobody knows.
    Unknown,
    /// It is not to be sent any more.
    Closed,
}

/// A row of a table of mails.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    /// The order's number.
    pub order: u32,
    /// What it says.
    pub says: Says,
    /// Nothing but a person (or a look-up, where there is one) moves it.
    pub waits: bool,
    /// Goes up, or at least differs, where the row changed.
    pub version: i64,
}

/// What the table and the service come to at one moment.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Count {
    /// Orders with more than one mail.
    pub doubled: Vec<u32>,
    /// Mails beyond the first of an order.
    pub too_many: u64,
    /// Orders without a mail whose row says that it was accepted, or that it is not to be sent;
    /// or without a row. Nobody will ever send these.
    pub lost: Vec<u32>,
    /// Rows that wait for a person.
    pub waiting: u64,
    /// Rows whose status says something untrue: accepted, and the service does not have the mail;
    /// or not accepted, and the service has it.
    pub untrue: Vec<u32>,
    /// Orders without a mail that are not lost.
    pub unsent: u64,
}

/// Counts. The table is read before and after the service is asked: of rows that changed in
/// between nothing can be said, so they count as true.
pub fn count(orders: u32, before: &[Row], mails: &HashMap<u32, u64>, after: &[Row]) -> Count {
    let before: HashMap<u32, &Row> = before.iter().map(|row| (row.order, row)).collect();
    let after: HashMap<u32, &Row> = after.iter().map(|row| (row.order, row)).collect();
    let mut count = Count::default();
    for order in 0..orders {
        let has = mails.get(&order).copied().unwrap_or(0);
        if has > 1 {
            count.doubled.push(order);
            count.too_many += has - 1;
        }
        let Some(row) = after.get(&order) else {
            if has == 0 {
                count.lost.push(order);
            }
            continue;
        };
        count.waiting += u64::from(row.waits);
        let settled = before.get(&order).is_some_and(|b| b == row);
        let (lost, untrue) = match row.says {
            Says::Accepted => (has == 0, has == 0),
            Says::Closed => (has == 0, has > 0),
            Says::NotAccepted => (false, has > 0),
            Says::Unknown => (false, false),
        };
        if settled && untrue {
            count.untrue.push(order);
        }
        if settled && lost {
            count.lost.push(order);
        } else if has == 0 {
            count.unsent += 1;
        }
    }
    count
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(order: u32, says: Says, waits: bool) -> Row {
        Row {
            order,
            says,
            waits,
            version: 1,
        }
    }

    #[test]
    fn counts_a_table_against_a_service() {
        use Says as S;
        let table = [
            row(0, S::Accepted, false),
            row(1, S::Accepted, false),    // three mails
            row(2, S::Accepted, false),    // lost, and untrue
            row(3, S::NotAccepted, false), // still to be sent
            row(4, S::NotAccepted, true),  // untrue: the service has it
            row(5, S::Unknown, true),
            row(6, S::Unknown, true),
            row(7, S::Closed, false), // lost
                                      // 8: no row at all
        ];
        let mails = HashMap::from([(0, 1), (1, 3), (4, 1), (5, 1)]);
        let found = count(9, &table, &mails, &table);
        let expected = Count {
            doubled: vec![1],
            too_many: 2,
            lost: vec![2, 7, 8],
            waiting: 3,
            untrue: vec![2, 4],
            unsent: 2,
        };
        assert_eq!(found, expected);
    }

    #[test]
    fn of_a_row_that_changes_meanwhile_nothing_is_said() {
        let before = [row(0, Says::NotAccepted, false)];
        let mut after = before.clone();
        after[0].version = 2;
        let mails = HashMap::from([(0, 1)]);
        let untrue = |before: &[Row]| count(1, before, &mails, &after).untrue;
        assert!(untrue(&before).is_empty());
        assert_eq!(untrue(&after), [0]);
    }
}
