//! Real processes: each test has a folder and a database of its own, and whatever it starts ends
//! with it.

#![allow(dead_code, unused_macros, unused_imports)] // no test file uses all of it

use crate::common::{Port, TestDb};
use denpyo::sandbox::{Faults, Sandbox};
use std::collections::BTreeMap;
use std::io::{Read, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// Nothing here takes longer, even on a busy machine.
pub const PATIENCE: Duration = Duration::from_secs(60);

/// Bearer token of every site.
pub const TOKEN: &str = "token-of-the-tests";

/// Runs each test on both databases.
macro_rules! on_both {
    ($($name:ident),* $(,)?) => {
        mod on_sqlite {
            $(#[tokio::test(flavor = "multi_thread")]
            async fn $name() { super::$name(crate::run::Home::sqlite().await).await; })*
        }
        mod on_postgres {
            $(#[tokio::test(flavor = "multi_thread")]
            async fn $name() { super::$name(crate::run::Home::postgres().await).await; })*
        }
    };
}
pub(crate) use on_both;

/// Asks until there is an answer.
pub async fn eventually<T>(what: &str, mut ask: impl AsyncFnMut() -> Option<T>) -> T {
    let begun = Instant::now();
    loop {
        if let Some(answer) = ask().await {
            return answer;
        }
        assert!(begun.elapsed() < PATIENCE, "still not: {what}");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

/// A folder and a database.
pub struct Home {
    /// The working folder of everything that is started.
    pub folder: TempDir,
    /// The database, empty at first.
    pub db: TestDb,
    settings: BTreeMap<String, String>,
    ports: Vec<Port>,
}

impl Home {
    pub async fn sqlite() -> Home {
        Home::new(TestDb::empty_sqlite().await)
    }

    pub async fn postgres() -> Home {
        Home::new(TestDb::empty_postgres().await)
    }

    /// One more on the same kind of database.
    pub async fn another(&self) -> Home {
        if self.db.is_postgres() {
            Home::postgres().await
        } else {
            Home::sqlite().await
        }
    }

    fn new(db: TestDb) -> Home {
        let settings = [
            ("API_TOKEN", TOKEN),
            ("DATABASE_URL", db.url()),
            ("LISTEN", "127.0.0.1:0"),
            ("POLL_INTERVAL", "50ms"),
        ];
        Home {
            folder: tempfile::tempdir().unwrap(),
            settings: settings
                .into_iter()
                .map(|(key, value)| (format!("DENPYO_{key}"), value.to_owned()))
                .collect(),
            db,
            ports: Vec::new(),
        }
    }

    /// Sets `DENPYO_{key}` for what is started from now on.
    pub fn set(&mut self, key: &str, value: impl Into<String>) -> &mut Home {
        self.settings.insert(format!("DENPYO_{key}"), value.into());
        self
    }

    /// Takes `DENPYO_{key}` away.
    pub fn unset(&mut self, key: &str) -> &mut Home {
        self.settings.remove(&format!("DENPYO_{key}"));
        self
    }

    /// A port of 127.0.0.1 that is nobody else's while this lives.
    pub fn port(&mut self) -> u16 {
        let port = Port::reserve();
        let number = port.number();
        self.ports.push(port);
        number
    }

    /// Sends through the service at that address.
    pub fn send_through(&mut self, address: &str) -> &mut Home {
        self.set("PROVIDER", "sendgrid")
            .set("PROVIDER_URL", address)
            .set("PROVIDER_KEY", "SG.key-of-the-tests")
            .set("FROM", "Shop <order@shop.example>")
    }

    /// Short enough to wait for; the lease exceeds the timeout by more than a second.
    pub fn lease(&mut self, timeout_ms: u32, lease_ms: u32) -> &mut Home {
        self.set("REQUEST_TIMEOUT", format!("{timeout_ms}ms"))
            .set("LEASE", format!("{lease_ms}ms"))
    }

    pub fn command<'a>(&self, args: impl IntoIterator<Item = &'a str>) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_denpyo"));
        for (name, _) in std::env::vars_os() {
            let denpyos = name.to_string_lossy().starts_with("DENPYO_");
            if denpyos || name == "RUST_LOG" {
                command.env_remove(name);
            }
        }
        command
            .args(args)
            .envs(&self.settings)
            .current_dir(&self.folder);
        command
    }

    /// The same, with a library in front of the system's own that is built from a file of `tests`:
    /// the program as it is, in a world that is not.
    pub fn command_with<'a>(
        &self,
        source: &str,
        args: impl IntoIterator<Item = &'a str>,
    ) -> Command {
        let source = Path::new(env!("CARGO_MANIFEST_DIR"))
            .join("tests")
            .join(source);
        let library = self.folder.path().join("in_front.so");
        // `cc` is what Rust links with: it is there.
        let built = Command::new("cc")
            .args(["-shared", "-fPIC", "-O1", "-o"])
            .args([&library, &source])
            .arg("-ldl")
            .status()
            .unwrap();
        assert!(built.success());
        let mut command = self.command(args);
        command.env("LD_PRELOAD", library);
        command
    }

    /// Runs a command to its end.
    pub fn run<'a>(&self, args: impl IntoIterator<Item = &'a str>, input: &[u8]) -> Finished {
        finish(self.command(args), input)
    }

    pub fn start<'a>(&self, args: impl IntoIterator<Item = &'a str>) -> Program {
        Program::start(self.command(args))
    }

    /// A worker that is working.
    pub async fn worker(&self) -> Program {
        let mut worker = self.start(["worker"]);
        worker.logs("working").await;
        worker
    }

    pub fn migrate(&self) {
        let done = self.run(["migrate"], b"");
        assert_eq!(done.code, 0, "{done:?}");
    }

    pub fn add_user(&self, name: &str, role: &str, password: &str) {
        let done = self.run(
            ["user", "add", name, "--role", role],
            format!("{password}\n").as_bytes(),
        );
        assert_eq!(done.code, 0, "{done:?}");
    }
}

/// What a command came to.
#[derive(Debug)]
pub struct Finished {
    pub code: i32,
    pub out: String,
    pub err: String,
}

/// Runs a command to its end, and kills it where that does not come.
pub fn finish(mut command: Command, input: &[u8]) -> Finished {
    command.stdin(Stdio::piped());
    let mut program = Program::start(command);
    let mut stdin = program.child.stdin.take().unwrap();
    let input = input.to_vec();
    // A command may end before it has read everything.
    let writer = std::thread::spawn(move || stdin.write_all(&input).is_ok());
    let begun = Instant::now();
    let status = loop {
        if let Some(status) = program.child.try_wait().unwrap() {
            break status;
        }
        assert!(begun.elapsed() < PATIENCE, "it does not end: {program:?}");
        std::thread::sleep(Duration::from_millis(5));
    };
    let _ = writer.join();
    program.join_readers();
    Finished {
        code: status.code().unwrap_or(-1),
        out: program.out(),
        err: program.log(),
    }
}

/// A running process; killed when dropped.
pub struct Program {
    pub child: Child,
    out: Arc<Mutex<Vec<u8>>>,
    err: Arc<Mutex<Vec<u8>>>,
    readers: Vec<std::thread::JoinHandle<()>>,
}

impl std::fmt::Debug for Program {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "standard output:\n{}log:\n{}", self.out(), self.log())
    }
}

impl Program {
    pub fn start(mut command: Command) -> Program {
        command.stderr(Stdio::piped());
        Program::start_as_is(command)
    }

    /// With standard error wherever the command has it.
    pub fn start_as_is(mut command: Command) -> Program {
        let mut child = command.stdout(Stdio::piped()).spawn().unwrap();
        let (out, err) = (Arc::default(), Arc::default());
        let mut readers = vec![collect(child.stdout.take().unwrap(), &out)];
        if let Some(stderr) = child.stderr.take() {
            readers.push(collect(stderr, &err));
        }
        Program {
            child,
            out,
            err,
            readers,
        }
    }

    pub fn out(&self) -> String {
        String::from_utf8_lossy(&self.out.lock().unwrap()).into_owned()
    }

    /// What has been read of it so far: a line may be on its way though the answer is here, so that
    /// what must be in it is waited for ([`Program::logs`]).
    pub fn log(&self) -> String {
        String::from_utf8_lossy(&self.err.lock().unwrap()).into_owned()
    }

    fn join_readers(&mut self) {
        for reader in self.readers.drain(..) {
            let _ = reader.join();
        }
    }

    /// The rest of the line that begins so, once it is printed.
    pub async fn says(&mut self, beginning: &str) -> String {
        self.wait_for(beginning, |p| {
            let out = p.out();
            let (whole, _) = out.rsplit_once('\n')?;
            let mut lines = whole.lines();
            lines.find_map(|line| line.strip_prefix(beginning).map(str::to_owned))
        })
        .await
    }

    /// Waits for a line with these words, and until all of it is there.
    pub async fn logs(&mut self, words: &str) {
        self.wait_for(words, |p| {
            let log = p.log();
            let whole = log.rfind('\n').map_or(0, |end| end + 1);
            log[..whole].contains(words).then_some(())
        })
        .await;
    }

    /// What is looked for, once it is there.
    pub async fn wait_for<T>(&mut self, what: &str, look: impl Fn(&Program) -> Option<T>) -> T {
        let begun = Instant::now();
        loop {
            let ended = self.child.try_wait().unwrap().is_some();
            if ended {
                self.join_readers();
            }
            if let Some(found) = look(self) {
                return found;
            }
            let late = begun.elapsed() > PATIENCE;
            assert!(!ended && !late, "never {what:?}: {self:?}");
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }

    /// `TERM`, `STOP`, `CONT`, `KILL`.
    pub fn signal(&self, name: &str) {
        let kill = format!("kill -{name} {}", self.child.id());
        let done = Command::new("sh").args(["-c", &kill]).status().unwrap();
        assert!(done.success(), "{kill}");
    }

    /// The exit status once it has ended; a signal's is negative.
    pub async fn exit(&mut self) -> i32 {
        use std::os::unix::process::ExitStatusExt;
        let status = eventually("the process ends", async || self.child.try_wait().unwrap()).await;
        self.join_readers();
        status
            .code()
            .unwrap_or_else(|| -status.signal().unwrap_or(0))
    }

    pub async fn kill(mut self) {
        self.signal("KILL");
        assert_eq!(self.exit().await, -9);
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn collect(
    mut from: impl Read + Send + 'static,
    to: &Arc<Mutex<Vec<u8>>>,
) -> std::thread::JoinHandle<()> {
    let to = Arc::clone(to);
    std::thread::spawn(move || {
        let mut chunk = [0; 8192];
        while let Ok(n @ 1..) = from.read(&mut chunk) {
            to.lock().unwrap().extend_from_slice(&chunk[..n]);
        }
    })
}

/// A service that refuses every mail.
pub fn refusing() -> Faults {
    Faults {
        refuse_400: 1.0,
        ..Faults::default()
    }
}

/// Sets what goes wrong.
pub fn faults(sandbox: &Sandbox, faults: Faults) {
    sandbox.set_faults(faults).unwrap();
}

/// How often the sandbox holds the mail of a `ref`.
pub fn copies(sandbox: &Sandbox, reference: &str) -> usize {
    let all = sandbox.messages();
    all.iter()
        .filter(|m| m.reference() == Some(reference))
        .count()
}
