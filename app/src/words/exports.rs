//! What leaves as a file says, in both languages.

use super::catalogue::Text;
use super::catalogue_reports::is_japan;

/// What leaves as a file.
pub struct ExportWords {
    /// A file of mails, after whose name come what it is about and the time.
    pub mails_file: Text,
    /// A file of the month's figures.
    pub report_file: Text,
    /// Columns of a file of mails: id, ref, order, kind, occasion, copy, recipient, subject, state,
    /// stored status, settled by, attempts, decided, accepted, delivery, its time, service, its
    /// id, error.
    pub columns: fn(zone: &str) -> [String; 19],
    /// First columns of the month's figures: month, basis, kind, stored kind.
    pub report_columns: [Text; 4],
    /// A column's figure when the month was closed.
    pub kept: fn(&str) -> String,
    /// A column's figure now, in a month that was closed.
    pub now: fn(&str) -> String,
    /// The filter is not understood.
    pub bad_filter: Text,
    /// The rows could not be counted in time.
    pub not_counted: Text,
    /// More rows than a workbook takes: how many, and how many it would take.
    pub too_many: fn(rows: &str, most: &str) -> String,
    /// The same, beside the links that are offered.
    pub too_many_short: fn(most: &str) -> String,
    /// Ends a text that was too long for a cell.
    pub cut: Text,
    /// Asked from another site.
    pub elsewhere: Text,
    /// It could not be made; a reference follows.
    pub failed: Text,
}

fn owned(columns: [&str; 19], zone: &str) -> [String; 19] {
    columns.map(|column| column.replace("{zone}", zone))
}

/// Japanese.
pub(super) const JA: ExportWords = ExportWords {
    mails_file: "伝票メール一覧",
    report_file: "伝票集計",
    columns: |zone| {
        let zone = if is_japan(zone) { "日本時間" } else { zone };
        owned(
            [
                "ID",
                "ref",
                "注文",
                "種類",
                "区分",
                "控え",
                "宛先",
                "件名",
                "状態",
                "status",
                "settled_by",
                "送信回数",
                "登録（{zone}）",
                "受付（{zone}）",
                "配信",
                "配信の時刻（{zone}）",
                "送信サービス",
                "送信サービスのID",
                "理由",
            ],
            zone,
        )
    },
    report_columns: ["月", "数え方", "種類", "kind"],
    kept: |column| format!("{column}（締めたとき）"),
    now: |column| format!("いま：{column}"),
    bad_filter: "条件を読み取れないところがあるため、保存していません。一覧に戻って条件を確かめてください。",
    not_counted: "件数を時間内に数え終わらなかったため、保存していません。条件で絞り込んでください。",
    too_many: |rows, most| {
        format!(
            "{rows}行あり、XLSX で保存できる{most}行を超えるため、保存していません。条件で絞り込むか、CSV で保存してください。"
        )
    },
    too_many_short: |most| format!("XLSX で保存できるのは{most}行までです。"),
    cut: "…（長いため省略）",
    elsewhere: "この画面の外からの操作のため、保存していません。一覧か集計の画面から保存してください。",
    failed: "いまは保存できません。少し待ってから、もう一度お試しください。お問い合わせ番号",
};

/// English.
pub(super) const EN: ExportWords = ExportWords {
    mails_file: "denpyo-mails",
    report_file: "denpyo-report",
    columns: |zone| {
        let zone = if is_japan(zone) { "Japan time" } else { zone };
        owned(
            [
                "ID",
                "ref",
                "Order",
                "Kind",
                "Occasion",
                "Copy",
                "Recipient",
                "Subject",
                "State",
                "status",
                "settled_by",
                "Attempts",
                "Recorded ({zone})",
                "Accepted ({zone})",
                "Delivery",
                "Delivery told ({zone})",
                "Service",
                "Service's ID",
                "Reason",
            ],
            zone,
        )
    },
    report_columns: ["Month", "Counted by", "Kind", "kind"],
    kept: |column| format!("{column} (when closed)"),
    now: |column| format!("now: {column}"),
    bad_filter: "Part of the filter was not understood, so nothing was saved. Go back to the list and look at the filter.",
    not_counted: "Counting the rows took too long, so nothing was saved. Narrow the filter.",
    too_many: |rows, most| {
        format!(
            "There are {rows} rows, and a workbook takes {most}, so nothing was saved. Narrow the filter, or save as CSV."
        )
    },
    too_many_short: |most| format!("A workbook (XLSX) takes up to {most} rows."),
    cut: "… (cut, too long for a cell)",
    elsewhere: "This was asked from outside the desk, so nothing was saved. Save from the list or from the report.",
    failed: "It cannot be saved right now. Wait a moment, then try again. Reference:",
};
