//! Who ordered.

use rand::Rng;
use rand::rngs::StdRng;
use rand::seq::IndexedRandom;

const WORDS: [&str; 40] = [
    "kiku",
    "aozora",
    "tanpopo",
    "umi.no.iro",
    "ringo",
    "hoshi_zora",
    "minamo",
    "sora-iro",
    "hinata",
    "komorebi",
    "minato",
    "yozora",
    "amaoto",
    "kobo",
    "nijiiro",
    "mado.gi.wa",
    "c-floor",
    "hanako",
    "taro",
    "sakura.saku",
    "yuki",
    "natsu_mikan",
    "kaede",
    "tsubame",
    "asagao",
    "haru.ichiban",
    "kazaguruma",
    "mugi",
    "suzume",
    "nagi",
    "ito",
    "hotaru",
    "kuri",
    "momiji",
    "shirokuma",
    "polka",
    "tsukimi",
    "yamabiko",
    "rakuda",
    "wata",
];
const RARE: [&str; 6] = [
    "hanako+shop@example.com",
    "Hanako.SATO@Example.JP",
    "o'brien@example.com",
    "keiri+denpyo@example.jp",
    "TARO@EXAMPLE.COM",
    "tanaka+gift+2@example.jp",
];
const OFFICES: [&str; 5] = ["keiri", "soumu", "koubai", "jimu", "shiire"];

/// The shop's customers so far.
#[derive(Default)]
pub(super) struct People {
    known: Vec<String>,
}

impl People {
    /// The address of one of them, or of somebody new.
    pub(super) fn customer(&mut self, rng: &mut StdRng, company: bool) -> String {
        if !company
            && rng.random_bool(0.15)
            && let Some(known) = self.known.choose(rng)
        {
            return known.clone();
        }
        if rng.random_bool(0.03) {
            return RARE.choose(rng).copied().unwrap_or_default().to_owned();
        }
        let word = if company {
            OFFICES.choose(rng)
        } else {
            WORDS.choose(rng)
        };
        let word = word.copied().unwrap_or_default();
        let number = if rng.random_bool(0.7) {
            format!("{}", rng.random_range(1..100))
        } else {
            String::new()
        };
        let joint = ["", "", "-", "_", "."]
            .choose(rng)
            .copied()
            .unwrap_or_default();
        let joint = if number.is_empty() { "" } else { joint };
        let host = if rng.random_bool(0.6) {
            "example.jp"
        } else {
            "example.com"
        };
        let address = format!("{word}{joint}{number}@{host}");
        self.known.push(address.clone());
        address
    }
}
