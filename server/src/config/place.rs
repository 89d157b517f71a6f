//! Where a setting was written, so that an error names it as its reader knows it.

use super::{ConfigError, KEYS};
use std::collections::BTreeSet;
use std::path::Path;

/// The same error, naming the key as it stands where it was read from: in the file `file`, or, where it is
/// one of `in_environment`, in the environment.
pub(super) fn named(
    error: ConfigError,
    file: Option<&Path>,
    in_environment: &BTreeSet<String>,
) -> ConfigError {
    let ConfigError::Value { key, value, right } = error else {
        return error;
    };
    let written = key
        .strip_prefix("DENPYO_")
        .map_or_else(|| key.clone(), str::to_ascii_lowercase);
    let key = match file {
        Some(path) if !in_environment.contains(&written) => {
            format!("{}: {written}", path.display())
        }
        _ => format!("environment: {key}"),
    };
    ConfigError::Value { key, value, right }
}

/// What to say of a variable's name that stands in the file.
pub(super) fn variable_in_file(key: &str) -> Option<String> {
    let name = key.to_ascii_lowercase();
    let name = name.strip_prefix("denpyo_").unwrap_or(&name);
    (KEYS.contains(&name) && name != key).then(|| format!("; in the file it is written {name}"))
}

/// What to say of a line of the file that cannot be read, where its value looks like a text without quotes.
/// The value itself is not repeated: it may be a secret.
pub(super) fn quotes_missing(line: &str) -> Option<String> {
    let (key, value) = line.split_once('=')?;
    let (key, value) = (key.trim(), value.trim());
    let number = value.parse::<f64>().is_ok() || matches!(value, "true" | "false");
    let plain = !value.is_empty() && !value.starts_with(['"', '\'', '[', '{', '#']) && !number;
    let known = KEYS.contains(&key) || key == "on_unknown";
    (plain && known).then(|| format!("; write the value in quotes: {key} = \"…\""))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_bare_text_lacks_quotes() {
        for (line, lacks) in [
            ("listen = 127.0.0.1:42008", true),
            ("provider_key = SG.hunter2", true),
            ("lease = 2m", true),
            ("listen = \"127.0.0.1:42008", false),
            ("concurrency = 3", false),
            ("notify = true", false),
            ("no setting", false),
            ("listen =", false),
        ] {
            let said = quotes_missing(line);
            assert_eq!(said.is_some(), lacks, "{line}");
            assert!(!said.unwrap_or_default().contains("hunter2"));
        }
    }
}
