//! HTTP on a connection that stays open.

use std::io::{self, Read, Write};

/// Basic credentials of the demo's John.
const JOHN: &str = "Basic Sm9obkRvZTpkZW1vLXBhc3N3b3Jk";

/// A request that an unlimited John is served, and whose answer names the folder.
pub(crate) const GET_FOLDER: &str = "<?xml version=\"1.0\" encoding=\"utf-8\"?>\
    <s:Envelope xmlns:s=\"http://schemas.xmlsoap.org/soap/envelope/\" \
    xmlns:t=\"http://schemas.microsoft.com/exchange/services/2006/types\" \
    xmlns:m=\"http://schemas.microsoft.com/exchange/services/2006/messages\">\
    <s:Header><t:RequestServerVersion Version=\"Exchange2010_SP2\"/></s:Header><s:Body><m:GetFolder>\
    <m:FolderShape><t:BaseShape>Default</t:BaseShape></m:FolderShape>\
    <m:FolderIds><t:DistinguishedFolderId Id=\"inbox\"/></m:FolderIds></m:GetFolder></s:Body></s:Envelope>";

/// The head of John's request to EWS with a body of [`GET_FOLDER`]'s length, and these lines more.
pub(crate) fn head(lines: &str) -> String {
    format!(
        "POST /EWS/Exchange.asmx HTTP/1.1\r\nHost: localhost\r\nAuthorization: {JOHN}\r\nContent-Type: text/xml; \
         charset=utf-8\r\nContent-Length: {}\r\n{lines}\r\n",
        GET_FOLDER.len()
    )
}

/// Sends John's request and reads the answer, leaving the connection open.
pub(crate) fn get_folder(stream: &mut (impl Read + Write)) -> io::Result<String> {
    stream.write_all(format!("{}{GET_FOLDER}", head("")).as_bytes())?;
    stream.flush()?;
    answer(stream)
}

/// Reads one answer to its end, whichever way the end is told.
pub(crate) fn answer(stream: &mut impl Read) -> io::Result<String> {
    let mut text = until(stream, "\r\n\r\n")?;
    let head = text.to_ascii_lowercase();
    if head.contains("transfer-encoding: chunked") {
        text.push_str(&until(stream, "0\r\n\r\n")?);
    } else if let Some(length) = head.split("content-length:").nth(1) {
        let length = length.lines().next().unwrap().trim().parse().unwrap();
        let mut body = vec![0; length];
        stream.read_exact(&mut body)?;
        text.push_str(&String::from_utf8_lossy(&body));
    }
    Ok(text)
}

/// Reads up to and with `end`.
pub(crate) fn until(stream: &mut impl Read, end: &str) -> io::Result<String> {
    let mut bytes = Vec::new();
    let mut byte = [0];
    while !bytes.ends_with(end.as_bytes()) {
        stream.read_exact(&mut byte)?;
        bytes.push(byte[0]);
    }
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}
