//! How many mails a customer will have, once a further copy has gone out.

use super::Face;
use super::views::{Mail, MailRow};

impl Mail {
    /// This mail, its copies and one more: those that have reached the customer or still may.
    pub fn with_one_more(&self) -> usize {
        let reaches = |row: &MailRow| {
            !matches!(
                row.face,
                Face::Bounced | Face::NotSent | Face::Refused | Face::CalledOff
            )
        };
        let same = |row: &&MailRow| {
            row.kind == self.row.kind && row.occasion == self.row.occasion && reaches(row)
        };
        usize::from(reaches(&self.row)) + self.others.iter().filter(same).count() + 1
    }
}

#[cfg(test)]
mod tests {
    use super::super::Status;
    use super::super::verdict::tests::mail;
    use super::*;

    #[test]
    fn every_mail_that_may_arrive_counts() {
        let mut m = mail(Status::Synced, vec![]);
        assert_eq!(m.with_one_more(), 2);
        let row = |face, kind: &str| MailRow {
            face,
            kind: kind.into(),
            ..mail(Status::Synced, vec![]).row
        };
        m.others = vec![
            row(Face::Delivered, "invoice"),
            row(Face::Waiting, "invoice"),
            row(Face::Bounced, "invoice"),
            row(Face::CalledOff, "invoice"),
            row(Face::Delivered, "shipping_notice"),
        ];
        assert_eq!(m.with_one_more(), 4);
        m.row.face = Face::Bounced;
        assert_eq!(m.with_one_more(), 3);
    }
}
