//! What strangers write: texts, JSON, forms and addresses, drawn from one seed.

use proptest::arbitrary::any;
use proptest::collection::{btree_map, vec};
use proptest::prelude::{Just, Strategy, prop_oneof};
use proptest::sample::select;
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;
use serde_json::{Value, json};

/// At the ends of what something may be, and behind them.
const EDGES: [&str; 38] = [
    "0",
    "-1",
    "1e9",
    "0x1",
    "９",
    "NaN",
    "2147483648",
    "9223372036854775807",
    "9223372036854775808",
    "-9223372036854775808",
    "1,2,,9223372036854775808",
    "true",
    "[1]",
    "{}",
    "0000-00-00",
    "0001-01-01",
    "2026-02-30",
    "9999-12-31",
    "-262143-01-01",
    "+262143-01-01",
    "0000-00",
    "2026-13",
    "9999-12",
    "262142-12",
    "2026-11-30T00:00:00Z",
    "9999-12-31T23:59:60+23:59",
    "-262143-01-01T00:00:00Z",
    "+262142-12-31T23:59:59.999999Z",
    "o0_0",
    "n-62135596800000000_-9223372036854775808",
    "o253402300799999999_9223372036854775807",
    "o9223372036854775807_9223372036854775807",
    "n-9223372036854775808_-1",
    "'; --",
    "%_\\",
    "</script><b>",
    "../../etc/passwd",
    "\u{202e}\u{200b}\u{feff}\u{2028}",
];

/// Broken as no browser sends it.
const BROKEN: [&str; 10] = [
    "%ED%A0%80",
    "%ED%B0%80%ED%A0%80",
    "%FF%FE",
    "%C3%28",
    "%",
    "%zz",
    "%u0041",
    "%00",
    "a%0D%0Ax-a:%20b",
    "%F4%90%80%80",
];

/// Names of fields, of whatever act.
const FIELDS: [&str; 13] = [
    "again", "answer", "attempt", "count", "from", "id", "ids", "name", "query", "reason", "shown",
    "top", "version",
];

/// Names of parameters, of whatever page.
const PARAMETERS: [&str; 25] = [
    "act", "again", "age", "basis", "code", "cursor", "days", "error", "from", "iss", "kind",
    "lang", "match", "month", "needs", "next", "only", "q", "service", "since", "state", "status",
    "theme", "to", "who",
];

/// Draws for each kind of thing; the same again and again.
pub struct Draws(TestRunner);

impl Draws {
    pub fn new() -> Draws {
        Draws(TestRunner::deterministic())
    }

    pub fn one<T>(&mut self, strategy: &impl Strategy<Value = T>) -> T {
        strategy.new_tree(&mut self.0).unwrap().current()
    }

    /// Whether one of so many.
    pub fn in_(&mut self, many: u32) -> bool {
        self.one(&(0..many)) == 0
    }

    pub fn of<T: Clone + std::fmt::Debug + 'static>(&mut self, all: &[T]) -> T {
        self.one(&select(all.to_vec()))
    }

    /// A form of an act: its own fields as they should be, but for one, or for many; and some that
    /// it does not know. What names a row fits `row`, as far as that has it.
    pub fn form(&mut self, wanted: &[(&str, &str)], row: &Value) -> String {
        let many = self.in_(4);
        let odd_one = self.one(&(0..=wanted.len() * 2));
        let mut pairs = Vec::new();
        for (place, (name, value)) in wanted.iter().enumerate() {
            let of_row = match *name {
                "attempt" => &row["attempts"],
                // The next one's number.
                "copy" => &Value::Null,
                name => &row[name],
            };
            let fine = if of_row.is_i64() {
                of_row.to_string()
            } else if value.parse::<i64>().is_ok() {
                self.one(&(1..8i64)).to_string()
            } else if *name == "query" && self.in_(2) {
                percent("status=failed,rejected")
            } else if *name == "query" {
                percent(&self.query())
            } else {
                percent(value)
            };
            let fine = format!("{name}={fine}");
            if place != odd_one && !(many && self.in_(2)) {
                pairs.push(fine);
                continue;
            }
            match self.one(&(0..8)) {
                0 => {}
                1 => pairs.push(fine.replacen('=', "[]=", 1)),
                2 => pairs.extend([fine.clone(), fine]),
                _ => pairs.push(format!("{name}={}", self.one(&odd(70_000)))),
            }
        }
        if self.in_(4) {
            pairs.extend(self.one(&vec(pair(&FIELDS), 0..3)));
        }
        pairs.join("&")
    }

    /// What stands behind an address's question mark.
    pub fn query(&mut self) -> String {
        self.query_of(&PARAMETERS)
    }

    pub fn query_of(&mut self, names: &'static [&'static str]) -> String {
        self.one(&vec(pair(names), 0..8)).join("&")
    }

    /// Members taken away, added and changed, one in four.
    pub fn changed(&mut self, mut value: Value) -> Value {
        if let Value::Object(members) = &mut value {
            for name in members.keys().cloned().collect::<Vec<_>>() {
                match self.one(&(0..8)) {
                    0 => drop(members.remove(&name)),
                    1 => drop(members.insert(name, self.one(&json_value()))),
                    2 => drop(members.insert(name, self.one(&text()).into())),
                    _ => {}
                }
            }
            if self.in_(4) {
                members.insert(self.one(&text()), self.one(&json_value()));
            }
        }
        value
    }

    /// JSON as it is, or cut, or with what no text may hold.
    pub fn written(&mut self, value: &Value) -> Vec<u8> {
        let text = value.to_string();
        match self.one(&(0..8)) {
            0 => text.as_bytes()[..self.one(&(0..=text.len()))].to_vec(),
            1 => text.replacen(":\"", ":\"\\ud800", 1).into(),
            2 => [b"\xef\xbb\xbf", text.as_bytes()].concat(),
            3 => text.replacen(":\"", ":\"\u{0}", 1).into(),
            4 => text
                .replacen('{', "{\"order_id\":1,\"event\":[],", 1)
                .into(),
            5 => self.one(&vec(any::<u8>(), 0..200)),
            _ => text.into(),
        }
    }
}

/// Texts as people and machines write them, and as neither does.
pub fn text() -> impl Strategy<Value = String> {
    prop_oneof![
        2 => any::<String>(),
        2 => "[a-z0-9.@+_-]{0,40}",
        2 => "[\\x00-\\x1f\u{7f}\u{85}\u{2028}\u{202e}\u{feff}a]{0,10}",
        2 => "[\u{3000}-\u{30ff}\u{4e00}-\u{4e20}＠．，]{0,20}",
        1 => Just(String::new()),
        1 => (1..70_000usize).prop_map(|n| "x".repeat(n)),
        4 => select(&EDGES[..]).prop_map(str::to_owned),
    ]
}

pub fn json_value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(|n| json!(n)),
        text().prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 24, 5, |inner| {
        prop_oneof![
            vec(inner.clone(), 0..5).prop_map(Value::from),
            btree_map(text(), inner, 0..5).prop_map(|map| json!(map)),
        ]
    })
}

/// A text of at most so many bytes as addresses and forms write it, or one that cannot be read.
pub fn odd(most: usize) -> impl Strategy<Value = String> {
    prop_oneof![
        4 => text().prop_map(move |text| percent(&text[..text.floor_char_boundary(most)])),
        1 => select(&BROKEN[..]).prop_map(str::to_owned),
        // What PostgreSQL takes in no text.
        1 => "[a-z0-9]{0,8}%00[a-z0-9]{0,8}",
    ]
}

fn pair(names: &'static [&'static str]) -> impl Strategy<Value = String> {
    let name = prop_oneof![
        9 => select(names).prop_map(str::to_owned),
        1 => select(names).prop_map(|name| format!("{name}[0]")),
        1 => odd(100),
    ];
    (name, odd(1000)).prop_map(|(name, value)| format!("{name}={value}"))
}

pub fn percent(text: &str) -> String {
    text.bytes().map(|b| format!("%{b:02X}")).collect()
}
