//! What goes wrong around Denpyo: databases that go and come back, connections that are cut, full
//! disks. Nothing is lost, nothing goes twice, everything recovers by itself, and
//! `/readyz` tells the truth meanwhile.

use crate::common::RunningSandbox;
use crate::run::{Home, Program, copies, eventually, faults};
use crate::site::Site;
use denpyo::sandbox::Faults;
use serde_json::Value;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use tokio::net::{TcpListener, TcpStream, UnixStream};
use tokio_util::sync::CancellationToken;

pub fn held(service: &RunningSandbox, row: &Value) -> usize {
    copies(&service.sandbox, row["ref"].as_str().unwrap())
}

async fn ready(site: &Site) -> u16 {
    let answer = site.get("/readyz").send().await.unwrap();
    answer.status().as_u16()
}

/// A mail that the service has just taken, and whose answer is still to come.
pub async fn in_mid_answer(site: &Site, service: &RunningSandbox) -> i64 {
    let before = service.sandbox.messages().len();
    let id = site.enqueue("1001").await;
    eventually("the post", async || {
        (service.sandbox.messages().len() > before).then_some(())
    })
    .await;
    id
}

/// Between Denpyo and PostgreSQL: connections that can be cut, and refused.
struct Line {
    port: u16,
    refuses: Arc<AtomicBool>,
    cut: Arc<std::sync::Mutex<CancellationToken>>,
}

impl Line {
    async fn to(url: &str) -> (Line, String) {
        let url = url::Url::parse(url).unwrap();
        let socket = url
            .query_pairs()
            .find(|(key, _)| key == "host")
            .map(|(_, folder)| PathBuf::from(folder.into_owned()).join(".s.PGSQL.5432"));
        let tcp = (
            url.host_str().unwrap_or("localhost").to_owned(),
            url.port().unwrap_or(5432),
        );
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let line = Line {
            port: listener.local_addr().unwrap().port(),
            refuses: Arc::default(),
            cut: Arc::default(),
        };
        let (refuses, cut) = (Arc::clone(&line.refuses), Arc::clone(&line.cut));
        tokio::spawn(async move {
            while let Ok((mut near, _)) = listener.accept().await {
                if refuses.load(Ordering::SeqCst) {
                    continue;
                }
                let cut = cut.lock().unwrap().clone();
                let (socket, tcp) = (socket.clone(), tcp.clone());
                tokio::spawn(async move {
                    let copying = async {
                        match socket {
                            Some(path) => {
                                let mut far = UnixStream::connect(path).await?;
                                tokio::io::copy_bidirectional(&mut near, &mut far).await
                            }
                            None => {
                                let mut far = TcpStream::connect(tcp).await?;
                                tokio::io::copy_bidirectional(&mut near, &mut far).await
                            }
                        }
                    };
                    tokio::select! { _ = copying => {}, () = cut.cancelled() => {} }
                });
            }
        });
        let user = url.query_pairs().find(|(key, _)| key == "user");
        let user = user.map_or_else(|| url.username().to_owned(), |(_, user)| user.into_owned());
        let word = url.password().map_or(String::new(), |p| format!(":{p}"));
        let through = format!(
            "postgres://{user}{word}@127.0.0.1:{}{}?sslmode=disable",
            line.port,
            url.path()
        );
        (line, through)
    }

    /// Cuts every connection, and takes no other.
    fn cut(&self) {
        self.refuses.store(true, Ordering::SeqCst);
        std::mem::take(&mut *self.cut.lock().unwrap()).cancel();
    }

    fn mend(&self) {
        self.refuses.store(false, Ordering::SeqCst);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_start_waits_for_a_database_that_is_not_there_yet() {
    let mut home = Home::postgres().await;
    home.migrate();
    let (line, url) = Line::to(home.db.url()).await;
    home.set("DATABASE_URL", url);
    line.cut();
    for command in ["serve", "worker"] {
        // Asked to stop meanwhile, it does at once.
        let mut program = home.start([command]);
        program.logs("the database cannot be reached yet").await;
        program.signal("TERM");
        assert_eq!(program.exit().await, 0, "{program:?}");
    }
    let mut worker = home.start(["worker"]);
    worker.logs("the database cannot be reached yet").await;
    line.mend();
    worker.logs("working").await;
    worker.signal("TERM");
    assert_eq!(worker.exit().await, 0, "{worker:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_database_goes_between_post_and_settle() {
    let mut home = Home::postgres().await;
    home.migrate();
    let service = RunningSandbox::patient().await;
    let (line, url) = Line::to(home.db.url()).await;
    home.send_through(&service.url).set("DATABASE_URL", url);
    service.keep_answers();
    let mut site = home.serve().await;
    assert_eq!(ready(&site).await, 200);
    let id = in_mid_answer(&site, &service).await;
    line.cut();
    service.send_answers();
    site.program
        .logs("the outcome could not be written; trying again")
        .await;
    assert_eq!(ready(&site).await, 503);
    let refused = site.api(reqwest::Method::GET, "").send().await.unwrap();
    assert_eq!(
        refused.status().as_u16(),
        503,
        "a client is told to come again"
    );
    line.mend();
    let row = site.row_in(id, "synced").await;
    assert_eq!(
        (row["attempts"].as_i64(), row["settled_by"].as_str()),
        (Some(1), Some("response"))
    );
    assert_eq!(held(&service, &row), 1);
    assert_eq!(ready(&site).await, 200);
}

/// A PostgreSQL of the test's own, which it may stop.
struct Cluster {
    keeper: Child,
    url: String,
}

impl Cluster {
    fn start() -> Cluster {
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../scripts/with-postgres.sh");
        let mut keeper = Command::new(script)
            .args(["sh", "-c", "echo \"$DENPYO_TEST_POSTGRES_URL\"; exec cat"])
            .env_remove("DENPYO_TEST_POSTGRES_URL")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut url = String::new();
        BufReader::new(keeper.stdout.take().unwrap())
            .read_line(&mut url)
            .unwrap();
        Cluster {
            keeper,
            url: url.trim().to_owned(),
        }
    }

    /// `pg_ctl` with these arguments.
    fn control(&self, args: &str) {
        let url = url::Url::parse(&self.url).unwrap();
        let folder = url
            .query_pairs()
            .find(|(key, _)| key == "host")
            .unwrap()
            .1
            .into_owned();
        let bin = Path::new(env!("CARGO_MANIFEST_DIR")).join("../scripts/postgres-bin.sh");
        let line = format!(
            "cd {folder}; as=''; [ \"$(id -u)\" != 0 ] || as='runuser -u postgres --'; \
             $as $({})/pg_ctl {args} -D {folder}/data -w -l {folder}/server.log >/dev/null",
            bin.display()
        );
        let done = Command::new("bash").args(["-c", &line]).status().unwrap();
        assert!(done.success(), "{line}");
    }
}

impl Drop for Cluster {
    fn drop(&mut self) {
        // The keeper ends with its input, and takes the cluster along.
        drop(self.keeper.stdin.take());
        let _ = self.keeper.wait();
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn postgresql_crashes_and_comes_back() {
    const MAILS: usize = 40;
    let cluster = Cluster::start();
    let mut home = Home::sqlite().await;
    let service = RunningSandbox::start().await;
    home.send_through(&service.url)
        .set("DATABASE_URL", &cluster.url)
        .lease(2000, 4000)
        .set("LOOKUP_HORIZON", "2s")
        .set("CONCURRENCY", "4");
    let slow = Faults {
        latency_ms: 300,
        ..Faults::default()
    };
    faults(&service.sandbox, slow);
    let mut site = home.serve().await;
    let mut ids = Vec::new();
    for n in 0..MAILS {
        ids.push(site.enqueue(&format!("o-{n}")).await);
    }
    eventually("some are sent", async || {
        (service.sandbox.messages().len() > 4).then_some(())
    })
    .await;
    cluster.control("stop -m immediate");
    eventually("it says so", async || {
        (ready(&site).await == 503).then_some(())
    })
    .await;
    cluster.control(
        "start -o \"-c listen_addresses= -c unix_socket_directories=$PWD -c fsync=off -c max_connections=200\"",
    );
    for id in ids {
        let row = site.row_in(id, "synced").await;
        assert_eq!(held(&service, &row), 1, "{row}");
    }
    assert_eq!(service.sandbox.messages().len(), MAILS);
    eventually("it is ready again", async || {
        (ready(&site).await == 200).then_some(())
    })
    .await;
    site.program.signal("TERM");
    assert_eq!(site.program.exit().await, 0);
}

/// A folder of 8 MB that only the program sees, as a mount in a namespace of its own.
fn in_small_folder(home: &Home, folder: &Path) -> Command {
    in_small_folder_do(home, folder, "exec \"$0\" serve")
}

/// The same, for a script in which `$0` is the program.
fn in_small_folder_do(home: &Home, folder: &Path, script: &str) -> Command {
    let program = home.command([]).get_program().to_os_string();
    let mut command = home.command([]);
    let environment: Vec<_> = command
        .get_envs()
        .map(|(k, v)| (k.to_owned(), v.map(|v| v.to_owned())))
        .collect();
    command = Command::new("unshare");
    command
        .args(["--mount", "--map-root-user", "--user", "sh", "-c"])
        .arg(format!(
            "mount -t tmpfs -o size=8m none '{}' && {script}",
            folder.display()
        ));
    command.arg(program).current_dir(&home.folder);
    for (name, value) in environment {
        match value {
            Some(value) => command.env(name, value),
            None => command.env_remove(name),
        };
    }
    command
}

#[tokio::test(flavor = "multi_thread")]
async fn a_full_disk_loses_nothing_and_is_got_over() {
    let mut home = Home::sqlite().await;
    let folder = home.folder.path().join("data");
    std::fs::create_dir(&folder).unwrap();
    let service = RunningSandbox::patient().await;
    home.send_through(&service.url).set(
        "DATABASE_URL",
        format!("sqlite:{}/denpyo.db", folder.display()),
    );
    let mut site = Site::of(Program::start(in_small_folder(&home, &folder))).await;
    assert_eq!(ready(&site).await, 200);
    service.keep_answers();
    let id = in_mid_answer(&site, &service).await;
    let fill = PathBuf::from(format!(
        "/proc/{}/root{}/fill",
        site.program.child.id(),
        folder.display()
    ));
    // To the last byte: the write fails in the end.
    assert!(std::fs::write(&fill, vec![0; 16_000_000]).is_err());
    service.send_answers();
    site.program
        .logs("the outcome could not be written; trying again")
        .await;
    assert_eq!(ready(&site).await, 503);
    let answer = site
        .api(reqwest::Method::POST, "")
        .json(&crate::site::mail("1002"))
        .send()
        .await
        .unwrap();
    assert_eq!(answer.status().as_u16(), 503);
    std::fs::remove_file(&fill).unwrap();
    let row = site.row_in(id, "synced").await;
    assert_eq!(
        (row["attempts"].as_i64(), held(&service, &row)),
        (Some(1), 1)
    );
    eventually("it is ready again", async || {
        (ready(&site).await == 200).then_some(())
    })
    .await;
    let second = site.enqueue("1002").await;
    let row = site.row_in(second, "synced").await;
    assert_eq!(held(&service, &row), 1);
}

/// Before anything is there, and where a database has taken mails already.
#[tokio::test]
async fn a_full_disk_is_named() {
    let mut home = Home::sqlite().await;
    let folder = home.folder.path().join("data");
    std::fs::create_dir(&folder).unwrap();
    let place = folder.display().to_string();
    home.set("DATABASE_URL", format!("sqlite:{place}/denpyo.db"));
    let fill = format!("dd if=/dev/zero of='{place}/fill' bs=1k 2>/dev/null");
    for script in [
        format!("{fill}; exec \"$0\" check"),
        format!("\"$0\" migrate && {{ {fill}; exec \"$0\" check; }}"),
        format!("{fill}; exec \"$0\" serve"),
    ] {
        let done = crate::run::finish(in_small_folder_do(&home, &folder, &script), b"");
        assert_eq!(done.code, 1, "{script}: {done:?}");
        let told = format!("{}{}", done.out, done.err);
        assert!(told.contains("is full"), "{script}: {told}");
        assert!(told.contains(&place), "{script}: {told}");
    }
}
