//! Makes one style sheet of the files in `style/`.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result};

/// What comes first; the rest follows by name.
const FIRST: [&str; 2] = ["tokens.css", "desk.css"];

/// `main.css` with its imports put in their places; without one, all the files.
pub fn bundle(folder: &Path) -> Result<String> {
    if folder.join("main.css").exists() {
        return inline(folder, "main.css");
    }
    let mut names = Vec::new();
    if folder.is_dir() {
        for entry in fs::read_dir(folder)? {
            let name = entry?.file_name().to_string_lossy().into_owned();
            if name.ends_with(".css") {
                names.push(name);
            }
        }
    }
    names.sort_by_key(|name| {
        let place = FIRST
            .iter()
            .position(|first| first == name)
            .unwrap_or(FIRST.len());
        (place, name.clone())
    });
    names.iter().map(|name| inline(folder, name)).collect()
}

fn inline(folder: &Path, name: &str) -> Result<String> {
    let path = folder.join(name);
    let text = fs::read_to_string(&path).with_context(|| path.display().to_string())?;
    let mut output = String::new();
    for line in text.lines() {
        match imported(line) {
            Some(other) => output += &inline(folder, other)?,
            None => {
                output += line;
                output.push('\n');
            }
        }
    }
    Ok(output)
}

/// `x.css` in `@import "./x.css";` or `@import url("x.css");`.
fn imported(line: &str) -> Option<&str> {
    let rest = line.trim().strip_prefix("@import")?;
    let name = rest.split(['"', '\'']).nth(1)?;
    Some(name.trim_start_matches("./"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_come_first_and_imports_decide_where_there_are_any() -> Result<()> {
        let folder = std::env::temp_dir().join(format!("denpyo-css-{}", std::process::id()));
        fs::create_dir_all(&folder)?;
        for name in ["tokens", "desk", "a"] {
            fs::write(folder.join(format!("{name}.css")), format!("{name} {{}}"))?;
        }
        assert_eq!(bundle(&folder)?, "tokens {}\ndesk {}\na {}\n");

        fs::write(
            folder.join("main.css"),
            "@import \"./a.css\";\n@import url('desk.css');\nb {}",
        )?;
        assert_eq!(bundle(&folder)?, "a {}\ndesk {}\nb {}\n");
        fs::remove_dir_all(&folder)?;
        Ok(())
    }

    #[test]
    fn no_styles_are_an_empty_sheet() -> Result<()> {
        assert_eq!(bundle(Path::new("no such folder"))?, "");
        Ok(())
    }
}
