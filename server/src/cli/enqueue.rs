//! `denpyo enqueue`: JSON lines in, one JSON result line each.

use super::Failure;
use crate::config::Config;
use crate::db::schema;
use crate::intake::{self, Fault};
use crate::outbox::enqueue::{Enqueued, NewSubmission, enqueue};
use crate::serve::{self, RunError};
use serde::Serialize;
use std::io::Write;
use tokio::io::{AsyncBufRead, AsyncBufReadExt, BufReader};

/// Longest line in bytes: the largest body of the API. A longer one is passed over, and takes no
/// more memory than this.
const LONGEST: usize = 10 * 1024 * 1024;

#[derive(Serialize)]
struct Outcome {
    line: u64,
    id: Option<i64>,
    result: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<String>,
}

/// Takes every line that can be taken; fails at the end where one could not.
pub(super) async fn run(config: &Config) -> Result<(), Failure> {
    let db = serve::open_existing(config).await.map_err(RunError::from)?;
    schema::check(&db).await?;
    let mut input = BufReader::with_capacity(64 * 1024, tokio::io::stdin());
    let mut out = std::io::BufWriter::new(std::io::stdout());
    let mut number = 0;
    let mut all_taken = true;
    while let Some(line) = next_line(&mut input).await? {
        number += 1;
        let bytes = match &line {
            Line::Whole(bytes) => bytes.as_slice(),
            Line::TooLong => b"{",
        };
        let bytes = if number == 1 {
            bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes)
        } else {
            bytes
        };
        if bytes.iter().all(u8::is_ascii_whitespace) {
            continue;
        }
        let (id, result, error) = match (line_too_long(&line), intake::parse(bytes)) {
            (true, _) => (
                None,
                "invalid",
                Some("the line has more than 10 MB".to_owned()),
            ),
            (_, Err(Fault::Json(why))) => {
                (None, "invalid", Some(format!("not a JSON object: {why}")))
            }
            (_, Err(Fault::Fields(faults))) => {
                let faults: Vec<String> = faults
                    .into_iter()
                    .map(|(field, message)| format!("{field}: {message}"))
                    .collect();
                (None, "invalid", Some(faults.join("; ")))
            }
            (_, Ok(new)) => match enqueue(&db, &by_command(new)).await {
                Err(error) if error.refuses_values() => {
                    tracing::warn!(line = number, error = %error, "the database refuses it");
                    (None, "invalid", Some("the database refuses it".to_owned()))
                }
                Err(error) => return Err(error.into()),
                Ok(Enqueued::Created(row)) => (Some(row.id), "created", None),
                Ok(Enqueued::Exists(row)) => (Some(row.id), "exists", None),
                Ok(Enqueued::Conflict(row)) => (
                    Some(row.id),
                    "conflict",
                    Some("the key names a mail with other content".to_owned()),
                ),
            },
        };
        all_taken &= matches!(result, "created" | "exists");
        let outcome = Outcome {
            line: number,
            id,
            result,
            error,
        };
        let text = serde_json::to_string(&outcome).unwrap_or_default();
        // Flushed line by line: a closed pipe ends the run before the next mail is taken.
        writeln!(out, "{text}")?;
        out.flush()?;
    }
    db.close().await;
    if all_taken {
        Ok(())
    } else {
        Err(Failure::Told)
    }
}

fn by_command(new: NewSubmission) -> NewSubmission {
    NewSubmission {
        decided_by: Some("denpyo enqueue".to_owned()),
        ..new
    }
}

enum Line {
    Whole(Vec<u8>),
    TooLong,
}

fn line_too_long(line: &Line) -> bool {
    matches!(line, Line::TooLong)
}

async fn next_line(input: &mut (impl AsyncBufRead + Unpin)) -> std::io::Result<Option<Line>> {
    let mut line = Vec::new();
    let mut too_long = false;
    let mut any = false;
    loop {
        let chunk = input.fill_buf().await?;
        if chunk.is_empty() {
            break;
        }
        any = true;
        let end = chunk.iter().position(|b| *b == b'\n');
        let part = &chunk[..end.unwrap_or(chunk.len())];
        if line.len() + part.len() > LONGEST {
            too_long = true;
            line.clear();
        } else if !too_long {
            line.extend_from_slice(part);
        }
        let used = end.map_or(chunk.len(), |i| i + 1);
        input.consume(used);
        if end.is_some() {
            break;
        }
    }
    Ok(any.then_some(if too_long {
        Line::TooLong
    } else {
        Line::Whole(line)
    }))
}
