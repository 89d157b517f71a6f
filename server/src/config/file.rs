//! The settings file: TOML, flat keys, and a table for each kind of mail.

use super::{ConfigError, KEYS, place};
use std::collections::BTreeMap;
use std::path::Path;

/// What a file holds.
#[derive(Debug, Default)]
pub(super) struct File {
    /// By key, as text.
    pub values: BTreeMap<String, String>,
    /// `[kind.NAME] on_unknown`, as text.
    pub on_unknown_by_kind: BTreeMap<String, String>,
}

pub(super) fn read(path: &Path) -> Result<File, ConfigError> {
    let wrong = |why: String| ConfigError::File {
        path: path.to_path_buf(),
        why,
    };
    let bytes = std::fs::read(path).map_err(|e| wrong(format!("cannot be read: {e}")))?;
    let text = decode(&bytes).map_err(wrong)?;
    let table: toml::Table = text.parse().map_err(|e: toml::de::Error| {
        // The library's own display quotes the line, which may hold a secret.
        let line = e
            .span()
            .map(|s| text[..s.start.min(text.len())].matches('\n').count());
        wrong(match line {
            Some(line) => {
                let written = text.lines().nth(line).unwrap_or_default();
                let hint = place::quotes_missing(written).unwrap_or_default();
                format!("line {}: {}{hint}", line + 1, e.message())
            }
            None => e.message().to_owned(),
        })
    })?;
    let mut file = File::default();
    for (key, value) in table {
        let unknown = |key: &str| ConfigError::UnknownKey {
            path: path.to_path_buf(),
            key: key.to_owned(),
            hint: place::variable_in_file(key).unwrap_or_else(|| hint(key, str::to_owned)),
        };
        if key == "kind" {
            let kinds = value
                .as_table()
                .ok_or_else(|| wrong("write [kind.NAME] as a table".to_owned()))?;
            for (kind, settings) in kinds {
                let settings = settings
                    .as_table()
                    .ok_or_else(|| wrong(format!("write [kind.{kind}] as a table")))?;
                for (name, value) in settings {
                    if name != "on_unknown" {
                        return Err(unknown(&format!("kind.{kind}.{name}")));
                    }
                    let word = value.as_str().unwrap_or_default().to_owned();
                    file.on_unknown_by_kind.insert(kind.clone(), word);
                }
            }
            continue;
        }
        if !KEYS.contains(&key.as_str()) {
            return Err(unknown(&key));
        }
        let text = match value {
            toml::Value::String(text) => text,
            toml::Value::Integer(number) => number.to_string(),
            toml::Value::Boolean(flag) => flag.to_string(),
            _ => return Err(wrong(format!("{key}: write a text or a number"))),
        };
        if !text.is_empty() {
            file.values.insert(key, text);
        }
    }
    Ok(file)
}

/// Windows' editor puts a mark before UTF-8, and has other encodings to offer.
fn decode(bytes: &[u8]) -> Result<&str, String> {
    if bytes.starts_with(&[0xff, 0xfe]) || bytes.starts_with(&[0xfe, 0xff]) {
        return Err("is written in UTF-16: save it as UTF-8".to_owned());
    }
    let bytes = bytes.strip_prefix(&[0xef, 0xbb, 0xbf]).unwrap_or(bytes);
    std::str::from_utf8(bytes)
        .map_err(|_| "is not UTF-8 (perhaps Shift_JIS): save it as UTF-8".to_owned())
}

/// `; did you mean …?` where a key looks like one of ours, which is then named as `name` has it.
pub(super) fn hint(key: &str, name: impl Fn(&str) -> String) -> String {
    let near = KEYS.iter().map(|k| (distance(k, key), k)).min();
    match near {
        Some((d, k)) if d <= 2 => format!("; did you mean {}?", name(k)),
        _ => String::new(),
    }
}

/// Levenshtein's distance.
fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().take(64).collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.chars().enumerate() {
        let mut before = row[0];
        row[0] = i + 1;
        for (j, y) in b.iter().enumerate() {
            let cost = before + usize::from(x != *y);
            before = row[j + 1];
            row[j + 1] = cost.min(row[j] + 1).min(row[j + 1] + 1);
        }
    }
    row[b.len()]
}
