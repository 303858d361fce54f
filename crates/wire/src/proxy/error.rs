//! Why the front of a connection is no header.

/// Bytes that are no PROXY header, or none that is served. Each text says what to do about it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ProxyError {
    /// The connection begins with something else.
    #[error(
        "the connection does not begin with a PROXY header: let the proxy send one (HAProxy: send-proxy or \
         send-proxy-v2; nginx: proxy_protocol on), or set proxy_protocol = false"
    )]
    NoHeader,
    /// A version 1 line goes on past 107 bytes.
    #[error(
        "the PROXY line is longer than {limit} bytes, which no version 1 header is: check what stands between the \
         proxy and this listener"
    )]
    LineTooLong {
        /// The most bytes a line may have, its end included.
        limit: usize,
    },
    /// A version 1 line whose parts are not as they must be.
    #[error(
        "the PROXY line's {part} is malformed: use a proxy that writes version 1 to the letter, or version 2"
    )]
    Line {
        /// Which part: `protocol`, `source address`, `end` …
        part: &'static str,
    },
    /// A version that is not 2 behind the signature of version 2.
    #[error("the PROXY header is of version {version}: let the proxy send version 1 or 2")]
    Version {
        /// The version it names.
        version: u8,
    },
    /// A version 2 command that is neither LOCAL nor PROXY.
    #[error("the PROXY header's command is {command}: only LOCAL (0) and PROXY (1) exist; update the proxy")]
    Command {
        /// The command it names.
        command: u8,
    },
    /// A version 2 header about something that is no TCP connection.
    #[error(
        "the PROXY header speaks of address family and transport {family:#04x}: only TCP over IPv4 (0x11) or IPv6 \
         (0x21) is served; let the proxy pass TCP connections to this listener"
    )]
    Family {
        /// Family and transport as one byte.
        family: u8,
    },
    /// A version 2 header that ends before its addresses do.
    #[error("the PROXY header holds {length} bytes of addresses and needs {needed}: update the proxy")]
    Short {
        /// The bytes it says to hold.
        length: u16,
        /// The bytes that its family's addresses take.
        needed: u16,
    },
    /// A version 2 header with more behind its addresses than is read.
    #[error(
        "the PROXY header carries {length} bytes of extensions, more than {limit}: let the proxy send fewer (such as \
         the TLS client's certificate)"
    )]
    ExtensionsTooLong {
        /// The bytes behind the addresses.
        length: u16,
        /// The most that are read.
        limit: u16,
    },
}
