//! A port that nobody else is given.

use tokio::net::TcpSocket;

/// A port of 127.0.0.1, this test's own for as long as this value lives.
///
/// It is bound and not listened on: Linux refuses connections to it, gives it to nobody who asks for
/// whichever port is free, and lets a program listen there that asks for this very one.
pub struct Port(TcpSocket);

impl Port {
    /// Takes one.
    pub fn reserve() -> Port {
        let socket = TcpSocket::new_v4().unwrap();
        // Or whoever is to listen could not.
        socket.set_reuseaddr(true).unwrap();
        socket.bind("127.0.0.1:0".parse().unwrap()).unwrap();
        Port(socket)
    }

    /// Its number.
    pub fn number(&self) -> u16 {
        self.0.local_addr().unwrap().port()
    }

    /// What leads there over HTTP.
    pub fn url(&self) -> String {
        format!("http://127.0.0.1:{}", self.number())
    }
}
