//! What the sample mails say.

use super::rows::At;
use crate::db::Stamp;
use chrono::{Datelike, NaiveDate, TimeDelta};
use chrono_tz::Tz;
use rand::Rng;
use rand::rngs::StdRng;
use rand::seq::IndexedRandom;

/// What somebody ordered.
pub(super) struct Basket {
    pub english: bool,
    /// Most shops still have kinds that go out as text alone.
    pub plain: bool,
    name: &'static str,
    lines: Vec<(&'static str, &'static str, i64, i64)>,
    day: NaiveDate,
}

/// A mail's subject, text and HTML.
pub(super) struct Content {
    pub subject: String,
    pub text: String,
    pub html: Option<String>,
}

const GOODS: [(&str, &str, i64); 14] = [
    (
        "今治の浴用タオル 2枚組",
        "Imabari bath towels, set of 2",
        3_300,
    ),
    ("有田焼のめし碗", "Arita rice bowl", 2_750),
    ("ヒノキのまな板 小", "Cypress cutting board, small", 4_180),
    ("南部鉄器の急須", "Nambu iron teapot", 9_900),
    ("麻のエプロン 生成り", "Linen apron, natural", 5_280),
    ("煎茶 100グラム", "Sencha, 100 g", 1_296),
    ("ほうじ茶 ティーバッグ 20包", "Hojicha, 20 tea bags", 972),
    ("手ぬぐい 青海波", "Tenugui, seigaiha pattern", 1_430),
    ("漆の箸 一膳", "Lacquered chopsticks, one pair", 2_420),
    ("ガラスの風鈴", "Glass wind chime", 1_980),
    ("和ろうそく 10本", "Japanese candles, 10", 1_650),
    ("竹のざる 八寸", "Bamboo sieve, 24 cm", 2_860),
    ("真鍮のしおり", "Brass bookmark", 880),
    ("線香 白檀", "Incense, sandalwood", 1_540),
];
const NAMES: [&str; 24] = [
    "佐藤",
    "鈴木",
    "髙橋",
    "田中",
    "伊藤",
    "渡邉",
    "山本",
    "中村",
    "小林",
    "加藤",
    "𠮷田",
    "山田",
    "佐々木",
    "山口",
    "松本",
    "井上",
    "木村",
    "林",
    "斎藤",
    "清水",
    "阿部",
    "森",
    "池田",
    "橋本",
];
const ENGLISH_NAMES: [&str; 5] = [
    "Emma Clarke",
    "Liam O'Brien",
    "Noah Fischer",
    "Ana Souza",
    "Mei Tan",
];
const STYLE: &str = "\
html { background: #fff; color: #222; font: 13px/1.8 \"Hiragino Sans\", \"Noto Sans JP\", \"Noto Sans CJK JP\", sans-serif; line-break: strict; }
body { margin: 16px 20px; }
h1 { font-size: 15px; margin: 0 0 8px; }
p { margin: 0 0 12px; }
table { border-collapse: collapse; margin: 0 0 12px; font-variant-numeric: tabular-nums; }
th, td { text-align: start; font-weight: 400; padding: 3px 24px 3px 0; border-bottom: 1px solid #ddd; }
th { color: #666; }
.n { text-align: end; padding-right: 0; }
small { color: #666; }";

/// The day that a point in time falls on in the shop's zone.
pub(super) fn day(at: At, zone: Tz) -> NaiveDate {
    Stamp::from_micros(at.0).map_or(NaiveDate::MIN, |at| {
        at.utc().with_timezone(&zone).date_naive()
    })
}

impl Basket {
    pub(super) fn fill(rng: &mut StdRng, ordered: At, zone: Tz, english: bool) -> Basket {
        let most = *[1, 1, 1, 2, 2, 3].choose(rng).unwrap_or(&1);
        let lines = GOODS
            .choose_multiple(rng, most)
            .map(|(ja, en, price)| {
                let pieces = if rng.random_bool(0.2) { 2 } else { 1 };
                (*ja, *en, *price, pieces)
            })
            .collect();
        let names: &[&'static str] = if english { &ENGLISH_NAMES } else { &NAMES };
        Basket {
            english,
            plain: rng.random_bool(0.12),
            name: names.choose(rng).copied().unwrap_or_default(),
            lines,
            day: day(ordered, zone),
        }
    }

    fn postage(&self) -> i64 {
        if self.goods() >= 5_500 { 0 } else { 550 }
    }

    fn goods(&self) -> i64 {
        self.lines.iter().map(|(.., price, n)| price * n).sum()
    }

    fn total(&self) -> i64 {
        self.goods() + self.postage()
    }

    /// What a mail of this kind says on that day.
    pub(super) fn write(&self, kind: &str, order: i64, today: NaiveDate) -> Content {
        let (subject, lead, facts, close) = self.words(kind, order, today);
        let list = matches!(kind, "order_confirmation" | "invoice");
        Content {
            text: self.text(&lead, &facts, &close, list),
            html: (!self.plain).then(|| self.html(&subject, &lead, &facts, &close, list)),
            subject,
        }
    }

    #[allow(clippy::type_complexity)] // four parts of one page
    fn words(
        &self,
        kind: &str,
        order: i64,
        today: NaiveDate,
    ) -> (String, String, Vec<(&'static str, String)>, String) {
        let en = self.english;
        let date = |d: NaiveDate| {
            if en {
                d.format("%-d %b %Y").to_string()
            } else {
                format!("{}年{}月{}日", d.year(), d.month(), d.day())
            }
        };
        let later = |days: i64| date(today + TimeDelta::days(days));
        let yen = |n: i64| {
            if en {
                format!("JPY {}", grouped(n))
            } else {
                format!("{}円", grouped(n))
            }
        };
        let pick = |ja: &'static str, en_word: &'static str| if en { en_word } else { ja };
        let number = (pick("注文番号", "Order"), order.to_string());
        let total = (
            pick("合計（税込）", "Total (tax included)"),
            yen(self.total()),
        );
        let (subject, lead, facts, close) = match kind {
            "order_confirmation" => (
                pick("ご注文ありがとうございます", "Thank you for your order"),
                pick(
                    "このたびはご注文をいただき、ありがとうございます。次の内容で承りました。",
                    "Thank you for your order. We have taken it as follows.",
                ),
                vec![
                    number,
                    (pick("注文日", "Ordered"), date(self.day)),
                    (pick("お届け予定", "Expected"), later(3)),
                    total,
                ],
                pick(
                    "発送の準備ができましたら、あらためてお知らせします。",
                    "We will write again when your parcel leaves.",
                ),
            ),
            "payment_confirmation" => (
                pick("ご入金を確認しました", "We have received your payment"),
                pick(
                    "ご入金を確認しました。ありがとうございます。",
                    "We have received your payment. Thank you.",
                ),
                vec![
                    number,
                    (pick("ご入金日", "Received"), date(today)),
                    (pick("ご入金額", "Amount"), yen(self.total())),
                ],
                pick(
                    "これより発送の準備をいたします。",
                    "We are now preparing your parcel.",
                ),
            ),
            "shipping_notice" => (
                pick("ご注文の品を発送しました", "Your order has been sent"),
                pick(
                    "ご注文の品を、本日発送しました。お届けまで今しばらくお待ちください。",
                    "Your order left us today.",
                ),
                vec![
                    number,
                    (pick("お届け予定", "Expected"), later(2)),
                    (
                        pick("送り状番号", "Parcel number"),
                        format!(
                            "4{:03}-{:04}-{:04}",
                            order % 997,
                            order % 9_973,
                            (order * 7) % 9_949
                        ),
                    ),
                ],
                pick(
                    "お受け取りになれない場合は、不在票の案内に沿って再配達をご依頼ください。",
                    "If you are out, the carrier leaves a note that says how to have it brought again.",
                ),
            ),
            "invoice" => (
                pick("請求書をお送りします", "Your invoice"),
                pick(
                    "いつもお世話になっております。次のとおりご請求申し上げます。",
                    "Please find our invoice below.",
                ),
                vec![
                    number,
                    (pick("請求日", "Invoiced"), date(today)),
                    (pick("お支払期限", "Due"), later(30)),
                    total,
                    (
                        pick("登録番号", "Registration"),
                        "T1234567890123".to_owned(),
                    ),
                ],
                pick(
                    "恐れ入りますが、振込手数料はご負担くださいますようお願いいたします。",
                    "Please bear the bank's charges.",
                ),
            ),
            _ => (
                pick("ご返金の手続きが完了しました", "Your refund is on its way"),
                pick(
                    "ご返金の手続きが完了しました。お支払いに使われた方法へお戻しします。",
                    "We have sent your refund back the way you paid.",
                ),
                vec![
                    number,
                    (
                        pick("ご返金額", "Refund"),
                        yen(self.lines.first().map_or(0, |(.., price, n)| price * n)),
                    ),
                    (pick("お戻しの目安", "Expected"), later(5)),
                ],
                pick(
                    "ご不明な点は、このメールへの返信でお知らせください。",
                    "If anything is unclear, just answer this mail.",
                ),
            ),
        };
        let subject = if en {
            format!("{subject} ({order})")
        } else {
            format!("{subject}（注文番号 {order}）")
        };
        (subject, lead.to_owned(), facts, close.to_owned())
    }

    fn greeting(&self) -> String {
        if self.english {
            format!("Dear {},", self.name)
        } else {
            format!("{} 様", self.name)
        }
    }

    fn rows(&self) -> Vec<(String, i64)> {
        let goods = self.lines.iter().map(|(ja, en, price, n)| {
            let name = if self.english { en } else { ja };
            (format!("{name} × {n}"), price * n)
        });
        let postage = if self.english { "Postage" } else { "送料" };
        goods
            .chain([(postage.to_owned(), self.postage())])
            .collect()
    }

    fn text(&self, lead: &str, facts: &[(&str, String)], close: &str, list: bool) -> String {
        let mut text = format!("{}\n\n{lead}\n\n", self.greeting());
        for (name, value) in facts {
            text += &format!("{name}: {value}\n");
        }
        if list {
            text.push('\n');
            for (name, price) in self.rows() {
                text += &format!("- {name}  {}\n", grouped(price));
            }
        }
        let shop = if self.english {
            "Sample Co., Ltd."
        } else {
            "株式会社サンプル 受注係"
        };
        text + &format!("\n{close}\n\n--\n{shop}\norder@example.jp\n")
    }

    fn html(
        &self,
        subject: &str,
        lead: &str,
        facts: &[(&str, String)],
        close: &str,
        list: bool,
    ) -> String {
        let lang = if self.english { "en" } else { "ja" };
        let mut html = format!(
            "<!doctype html>\n<html lang=\"{lang}\"><meta charset=\"utf-8\"><title>{subject}</title>\n\
             <style>\n{STYLE}\n</style>\n<h1>{subject}</h1>\n<p>{}</p>\n<p>{lead}</p>\n<table>\n",
            self.greeting()
        );
        for (name, value) in facts {
            html += &format!("<tr><th>{name}</th><td>{value}</td></tr>\n");
        }
        html += "</table>\n";
        if list {
            html += "<table>\n";
            for (name, price) in self.rows() {
                html += &format!(
                    "<tr><td>{name}</td><td class=\"n\">{}</td></tr>\n",
                    grouped(price)
                );
            }
            html += "</table>\n";
        }
        let shop = if self.english {
            "Sample Co., Ltd."
        } else {
            "株式会社サンプル 受注係"
        };
        html + &format!("<p>{close}</p>\n<p><small>{shop}　order@example.jp</small></p>\n</html>\n")
    }
}

/// `4,950`
fn grouped(n: i64) -> String {
    let digits = n.to_string();
    let mut out = String::new();
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}
