//! A query string, put together.

/// A query string, without the leading `?`.
#[derive(Default)]
pub(in crate::model) struct Query(String);

impl Query {
    /// Adds a parameter.
    pub fn put(&mut self, name: &str, value: &str) {
        if !self.0.is_empty() {
            self.0.push('&');
        }
        self.0.push_str(name);
        self.0.push('=');
        percent(&mut self.0, value);
    }

    /// Adds a parameter where it has a value.
    pub fn put_some(&mut self, name: &str, value: Option<impl ToString>) {
        if let Some(value) = value {
            self.put(name, &value.to_string());
        }
    }

    /// The whole.
    pub fn end(self) -> String {
        self.0
    }
}

/// Percent-encodes for a query string: unreserved characters stay.
pub fn percent(out: &mut String, text: &str) {
    for byte in text.bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' => {
                out.push(char::from(byte));
            }
            _ => {
                const HEX: &[u8; 16] = b"0123456789ABCDEF";
                out.push('%');
                out.push(char::from(HEX[usize::from(byte >> 4)]));
                out.push(char::from(HEX[usize::from(byte & 15)]));
            }
        }
    }
}
