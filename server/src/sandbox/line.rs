//! Connections that a request may cut: HTTP servers answer always, and a stand-in must be able not
//! to.

use axum::Router;
use axum::body::Body;
use axum::http::Request;
use axum::response::Response;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use std::future::{Future, pending};
use std::pin::pin;
use std::time::Duration;
use tokio::io::AsyncWriteExt;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use tower::Service;

/// How a connection ends without an answer, or with a part of one.
#[derive(Clone)]
pub(super) enum Cut {
    /// FIN: the other side sees an end of file.
    Close,
    /// RST: the other side sees an error.
    Reset,
    /// These bytes, then FIN.
    Part(String),
}

/// A request's connection; in its extensions.
#[derive(Clone)]
pub(super) struct Line {
    cuts: mpsc::Sender<Cut>,
    stop: CancellationToken,
}

impl Line {
    /// Ends the connection. The answer never comes.
    pub(super) async fn cut(&self, cut: Cut) -> Response {
        // A full or closed channel means that the connection is ending anyway.
        let _ = self.cuts.try_send(cut);
        pending().await
    }

    /// Says nothing until the other side goes or the sandbox stops.
    pub(super) async fn hang(&self) -> Response {
        self.stop.cancelled().await;
        self.cut(Cut::Close).await
    }

    /// Waits, but not longer than the sandbox runs.
    pub(super) async fn wait(&self, time: Duration) {
        tokio::select! {
            () = tokio::time::sleep(time) => {}
            () = self.stop.cancelled() => {}
        }
    }
}

/// How long a connection may take to end once the sandbox stops.
const LAST_WORDS: Duration = Duration::from_secs(2);

pub(super) async fn serve(
    listener: TcpListener,
    router: Router,
    shutdown: impl Future<Output = ()>,
) {
    let stop = CancellationToken::new();
    let connections = TaskTracker::new();
    let mut shutdown = pin!(shutdown);
    loop {
        let accepted = tokio::select! {
            accepted = listener.accept() => accepted,
            () = &mut shutdown => break,
        };
        match accepted {
            Ok((stream, _)) => {
                connections.spawn(connection(stream, router.clone(), stop.clone()));
            }
            Err(error) => {
                // Out of files, say: they come back as connections end.
                tracing::warn!(%error, "cannot accept a connection");
                tokio::time::sleep(Duration::from_millis(100)).await;
            }
        }
    }
    stop.cancel();
    connections.close();
    // A peer that does not read its answer must not keep the process.
    let _ = tokio::time::timeout(LAST_WORDS, connections.wait()).await;
}

async fn connection(stream: TcpStream, router: Router, stop: CancellationToken) {
    let (cuts, mut cut) = mpsc::channel(1);
    let line = Line {
        cuts,
        stop: stop.clone(),
    };
    let answer = service_fn(move |request: Request<Incoming>| {
        let mut request = request.map(Body::new);
        request.extensions_mut().insert(line.clone());
        router.clone().call(request)
    });
    let mut connection = http1::Builder::new().serve_connection(TokioIo::new(stream), answer);
    let mut stopping = false;
    let how = loop {
        tokio::select! {
            // A peer that goes away is no news.
            _ = Pin::new(&mut connection) => return,
            Some(how) = cut.recv() => break how,
            () = stop.cancelled(), if !stopping => {
                stopping = true;
                Pin::new(&mut connection).graceful_shutdown();
            }
        }
    };
    let mut stream = connection.into_parts().io.into_inner();
    let ended = match how {
        Cut::Reset => stream.set_zero_linger(),
        Cut::Close => stream.shutdown().await,
        Cut::Part(bytes) => match stream.write_all(bytes.as_bytes()).await {
            Ok(()) => stream.shutdown().await,
            Err(error) => Err(error),
        },
    };
    if let Err(error) = ended {
        tracing::debug!(%error, "the connection was gone already");
    }
}
