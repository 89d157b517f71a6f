//! Where to listen.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};

/// Addresses to bind: one, or both of localhost's.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Listen {
    /// As it was set.
    text: String,
    /// The host name as people would click it.
    host: String,
    ips: Vec<IpAddr>,
    port: u16,
}

impl Default for Listen {
    fn default() -> Self {
        Listen {
            text: "127.0.0.1:3000".to_owned(),
            host: "127.0.0.1".to_owned(),
            ips: vec![Ipv4Addr::LOCALHOST.into()],
            port: 3000,
        }
    }
}

impl Listen {
    /// Reads `127.0.0.1:3000`, `[::1]:3000` or `localhost:3000`; the error says what is right.
    pub fn parse(text: &str) -> Result<Listen, String> {
        let text = text.trim();
        let form =
            "write ADDRESS:PORT such as 127.0.0.1:3000, 0.0.0.0:3000, [::1]:3000 or localhost:3000";
        let Some((host, port)) = text.rsplit_once(':') else {
            return Err(format!("{form} (the port is missing)"));
        };
        let port: u16 = port
            .parse()
            .map_err(|_| format!("{form} (a port is a number up to 65535)"))?;
        if host.is_empty() {
            return Err(format!(
                "{form} (no address; for every one write 0.0.0.0:{port} or [::]:{port})"
            ));
        }
        if let Some(inner) = host.strip_prefix('[').and_then(|h| h.strip_suffix(']')) {
            let ip: Ipv6Addr = inner.parse().map_err(|_| form.to_owned())?;
            let host = if ip.is_unspecified() {
                "localhost".to_owned()
            } else {
                format!("[{ip}]")
            };
            return Ok(Listen {
                text: text.to_owned(),
                host,
                ips: vec![ip.into()],
                port,
            });
        }
        if host.contains(':') {
            return Err(format!(
                "{form} (an IPv6 address stands in brackets: [{host}]:{port})"
            ));
        }
        if host.eq_ignore_ascii_case("localhost") {
            let ips = vec![Ipv4Addr::LOCALHOST.into(), Ipv6Addr::LOCALHOST.into()];
            return Ok(Listen {
                text: text.to_owned(),
                host: "localhost".to_owned(),
                ips,
                port,
            });
        }
        let ip: Ipv4Addr = host
            .parse()
            .map_err(|_| format!("{form} (host names other than localhost are not resolved)"))?;
        let host = if ip.is_unspecified() {
            "localhost".to_owned()
        } else {
            ip.to_string()
        };
        Ok(Listen {
            text: text.to_owned(),
            host,
            ips: vec![ip.into()],
            port,
        })
    }

    /// Binds. With port 0 the system chooses one, the same for every address.
    pub async fn bind(&self) -> Result<(Vec<tokio::net::TcpListener>, String), std::io::Error> {
        let mut listeners: Vec<tokio::net::TcpListener> = Vec::new();
        let mut port = self.port;
        for ip in &self.ips {
            match tokio::net::TcpListener::bind(SocketAddr::new(*ip, port)).await {
                Ok(listener) => {
                    port = listener.local_addr()?.port();
                    listeners.push(listener);
                }
                // A machine without IPv6 has only one localhost.
                Err(_) if !listeners.is_empty() && ip.is_ipv6() => {}
                Err(error) => return Err(error),
            }
        }
        Ok((listeners, format!("http://{}:{port}", self.host)))
    }

    /// As it was set.
    pub fn shown(&self) -> &str {
        &self.text
    }
}
