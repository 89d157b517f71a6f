//! One sending process on SQLite: a lock on a file beside the database, given back by the system
//! however the process ends.

use std::fs::{File, TryLockError};
use std::path::{Path, PathBuf};

/// Held while this process sends.
#[derive(Debug)]
pub struct SenderLock {
    _file: File,
}

/// Why the lock could not be had.
#[derive(Debug, thiserror::Error)]
pub enum LockError {
    /// Another process holds it.
    #[error(
        "another denpyo process already sends from this SQLite database (it holds {0}): stop it, start this \
         one with `serve --no-worker`, or use PostgreSQL where several processes share the work"
    )]
    Taken(PathBuf),
    /// The file cannot be made.
    #[error("{path}: {why}")]
    Io {
        /// The file.
        path: PathBuf,
        /// The system's error.
        why: std::io::Error,
    },
}

/// Takes the lock for a database file, at once or not at all.
pub fn take(database: &Path) -> Result<SenderLock, LockError> {
    // However the file is named, its lock is one.
    let database = std::fs::canonicalize(database).unwrap_or_else(|_| database.to_path_buf());
    let mut path = database.into_os_string();
    path.push(".lock");
    let path = PathBuf::from(path);
    let io = |why| LockError::Io {
        path: path.clone(),
        why,
    };
    let file = File::options()
        .create(true)
        .append(true)
        .open(&path)
        .map_err(io)?;
    match file.try_lock() {
        Ok(()) => Ok(SenderLock { _file: file }),
        Err(TryLockError::WouldBlock) => Err(LockError::Taken(path)),
        Err(TryLockError::Error(why)) => Err(LockError::Io { path, why }),
    }
}
