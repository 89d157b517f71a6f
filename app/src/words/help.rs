//! Keys and the search box explained, in both languages.

use super::catalogue::Text;

/// The page of help, and the sheet of keys.
pub struct HelpWords {
    /// The link in the top line.
    pub link: Text,
    /// Title.
    pub title: Text,
    /// Closes the sheet.
    pub close: Text,
    /// Head over the keys.
    pub keys_head: Text,
    /// Each key, and what it does.
    pub keys: [(Text, Text); 3],
    /// When keys do nothing.
    pub keys_note: Text,
    /// Switches the keys off and on.
    pub switch: Text,
    /// Head over the search.
    pub search_head: Text,
    /// What can be searched for, and how.
    pub search: [(Text, Text); 5],
}

/// Japanese.
pub(super) const JA: HelpWords = HelpWords {
    link: "使い方",
    title: "使い方",
    close: "閉じる",
    keys_head: "キー操作",
    keys: [
        ("/", "検索欄へ移動します。"),
        ("?", "この使い方を開きます。"),
        ("Esc", "この使い方や、開いている絞り込みを閉じます。"),
    ],
    keys_note: "入力欄に文字を打っているあいだと、かな漢字変換のあいだは働きません。",
    switch: "「/」と「?」のキー操作を使う（このブラウザーに記憶します）",
    search_head: "検索",
    search: [
        (
            "注文番号",
            "その注文のメールを、控えや別の宛先のものも含めてすべて表示します。",
        ),
        (
            "宛先",
            "大文字と小文字は区別しません。メールソフトから貼り付けたままでも探せます。",
        ),
        (
            "一部",
            "番号や宛先の一部を3文字以上。「_」や「%」も文字どおりに探します。",
        ),
        (
            "IDで直接",
            "「#42」のようなID、ref、送信サービスのIDでは、そのメールを直接開きます。",
        ),
        (
            "組み合わせ",
            "状態・種類・期間の条件と合わせて使えます。結果は新しい順です。",
        ),
    ],
};

/// English.
pub(super) const EN: HelpWords = HelpWords {
    link: "Help",
    title: "Help",
    close: "Close",
    keys_head: "Keys",
    keys: [
        ("/", "Goes to the search box."),
        ("?", "Opens this sheet."),
        ("Esc", "Closes this sheet, or an open filter."),
    ],
    keys_note: "They do nothing while you write in a field or an input method composes.",
    switch: "Use the keys / and ? (this browser remembers)",
    search_head: "Search",
    search: [
        (
            "Order number",
            "Shows every mail for the order, further copies and other recipients included.",
        ),
        (
            "Address",
            "Upper and lower case are one. It may be pasted as a mail program shows it.",
        ),
        (
            "A part",
            "Three characters or more of a number or an address. “_” and “%” are taken literally.",
        ),
        (
            "An id",
            "An id such as #42, a ref, or a mail service’s id opens the mail itself.",
        ),
        (
            "Together",
            "Goes with filters by status, kind and period. Newest first.",
        ),
    ],
};
