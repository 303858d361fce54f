//! Requests, read.
//!
//! [`RequestReader`] takes a body in pieces and gives an [`Envelope`]. It is strict about what must be known – an
//! operation, an identifier, a number – and easy about how it is spelled: elements are known by their local names
//! alone inside an operation, headers nobody knows are skipped, truth is `true` or `1`. Lists that name what to do must
//! name something, so that a request has at least one step.
//!
//! | module | reads |
//! |---|---|
//! | `part` | attributes, numbers, choices out of an element |
//! | `path` | property paths, shapes, identifiers |
//! | `value` | items, folders and the values of their properties |
//! | `find` | views, restrictions, sort orders |
//! | `folder`, `item`, `sync`, `lookup` | the operations, by family |

mod find;
mod folder;
mod item;
mod lookup;
mod part;
mod path;
mod sync;
#[cfg(test)]
mod tests;
mod value;

use jiff::tz::TimeZone;

use super::fault::fault;
use super::request::{Envelope, Request, Version};
use super::time;
use super::xml::{Element, ElementBuilder, Limits, Malformed, Namespace};

/// How much of a wrong value an error repeats, in characters.
const QUOTED: usize = 64;

/// Reads one request out of the pieces of its body.
///
/// ```
/// use weir_wire::ews::{RequestReader, xml::Limits};
/// let mut reader = RequestReader::new(Limits::default());
/// for piece in [
///     "<s:Envelope xmlns:s='http://schemas.xmlsoap.org/soap/envelope/'><s:Body>",
///     "<Unsubscribe xmlns='http://schemas.microsoft.com/exchange/services/2006/messages'>",
///     "<SubscriptionId>abc</SubscriptionId></Unsubscribe></s:Body></s:Envelope>",
/// ] {
///     reader.feed(piece.as_bytes())?;
/// }
/// assert_eq!(reader.finish()?.request.operation(), "Unsubscribe");
/// # Ok::<(), weir_wire::ews::RequestError>(())
/// ```
#[derive(Debug)]
pub struct RequestReader {
    builder: ElementBuilder,
}

impl RequestReader {
    /// A reader that has read nothing.
    pub const fn new(limits: Limits) -> Self {
        Self { builder: ElementBuilder::new(limits) }
    }

    /// Takes the next piece of the body, of any size.
    ///
    /// # Errors
    /// [`RequestError::Malformed`] as soon as the body can no longer be read.
    pub fn feed(&mut self, piece: &[u8]) -> Result<(), RequestError> {
        Ok(self.builder.feed(piece)?)
    }

    /// The request, once its body has ended.
    ///
    /// # Errors
    /// [`RequestError`] where the body holds no request that can be carried out.
    pub fn finish(self) -> Result<Envelope, RequestError> {
        envelope(self.builder.finish()?)
    }
}

/// Why a body holds no request that can be carried out.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RequestError {
    /// It is not well-formed, or exceeds a bound.
    #[error("the request cannot be read: {0}")]
    Malformed(#[from] Malformed),
    /// It is no SOAP 1.1 envelope.
    #[error("the request is not a SOAP 1.1 envelope")]
    NoEnvelope,
    /// There is no SOAP body with an element in it.
    #[error("the request has no operation in its SOAP body")]
    NoOperation,
    /// The operation is none of ours.
    #[error("the operation '{name}' is not supported by this server")]
    UnsupportedOperation {
        /// Its element's local name.
        name: String,
    },
    /// The stated version is none.
    #[error("the server version '{version}' is unknown")]
    UnknownVersion {
        /// What was stated.
        version: String,
    },
    /// An element is where this build knows none.
    #[error("the element '{name}' within '{parent}' is not supported by this server")]
    UnsupportedElement {
        /// The element around it.
        parent: String,
        /// Its local name.
        name: String,
    },
    /// An element or attribute that must be there is missing.
    #[error("the element '{parent}' lacks '{name}'")]
    Missing {
        /// The element that lacks it.
        parent: String,
        /// What it lacks.
        name: &'static str,
    },
    /// An element or attribute has a value that it cannot have.
    #[error("the value '{value}' of '{name}' is invalid")]
    Invalid {
        /// The element or attribute.
        name: String,
        /// Its value, shortened.
        value: String,
    },
}

impl RequestError {
    /// The response code of its fault.
    pub const fn code(&self) -> &'static str {
        match self {
            Self::Malformed(_)
            | Self::NoEnvelope
            | Self::UnsupportedElement { .. }
            | Self::Missing { .. }
            | Self::Invalid { .. } => "ErrorSchemaValidation",
            // Not `ErrorInvalidRequest`: one client takes it for a wrong version and tries all others in turn.
            Self::UnsupportedOperation { .. } => "ErrorInvalidOperation",
            Self::NoOperation => "ErrorInvalidRequest",
            Self::UnknownVersion { .. } => "ErrorInvalidServerVersion",
        }
    }

    /// The fault, as a document, to be sent with HTTP status 500.
    pub fn fault(&self) -> Vec<u8> {
        fault(self.code(), &format!("The request cannot be carried out: {self}."), &[])
    }

    fn invalid(name: impl Into<String>, value: &str) -> Self {
        Self::Invalid { name: name.into(), value: value.chars().take(QUOTED).collect() }
    }

    fn unsupported(parent: &str, child: &Element) -> Self {
        Self::UnsupportedElement { parent: parent.to_owned(), name: child.name.clone() }
    }
}

fn envelope(mut root: Element) -> Result<Envelope, RequestError> {
    if !root.is(&Namespace::Soap, "Envelope") {
        return Err(RequestError::NoEnvelope);
    }
    let header = root.take_child("Header").unwrap_or_else(|| Element::new(Namespace::Soap, "Header"));
    let body = root.take_child("Body").filter(|body| body.namespace == Namespace::Soap);
    let operation =
        body.and_then(|body| body.children.into_iter().next()).ok_or(RequestError::NoOperation)?;
    let time_zone = time_zone(&header);
    let zone = time::zone(time_zone.as_deref());
    Ok(Envelope {
        version: version(&header)?,
        impersonated: impersonated(&header)?,
        request: request(operation, &zone)?,
        time_zone,
    })
}

fn version(header: &Element) -> Result<Version, RequestError> {
    let Some(stated) = header.child("RequestServerVersion") else { return Ok(Version::Unstated) };
    let version = part::attribute(stated, "Version")?;
    Version::from_name(version)
        .ok_or_else(|| RequestError::UnknownVersion { version: version.chars().take(QUOTED).collect() })
}

fn impersonated(header: &Element) -> Result<Option<String>, RequestError> {
    let Some(impersonation) = header.child("ExchangeImpersonation") else { return Ok(None) };
    let connecting = part::child(impersonation, "ConnectingSID")?;
    let names = ["PrimarySmtpAddress", "SmtpAddress", "PrincipalName", "SID"];
    let name = names.into_iter().find_map(|name| connecting.child_text(name));
    match name.filter(|name| !name.is_empty()) {
        Some(name) => Ok(Some(name.to_owned())),
        None => Err(part::missing(connecting, "PrimarySmtpAddress")),
    }
}

fn time_zone(header: &Element) -> Option<String> {
    let definition = header.child("TimeZoneContext")?.child("TimeZoneDefinition")?;
    definition.attribute("Id").map(str::to_owned)
}

fn request(operation: Element, zone: &TimeZone) -> Result<Request, RequestError> {
    if operation.namespace != Namespace::Messages {
        return Err(RequestError::UnsupportedOperation { name: operation.name });
    }
    Ok(match operation.name.as_str() {
        "GetFolder" => Request::GetFolder(folder::get(&operation)?),
        "FindFolder" => Request::FindFolder(find::folders(&operation, zone)?),
        "CreateFolder" => Request::CreateFolder(folder::create(operation, zone)?),
        "UpdateFolder" => Request::UpdateFolder(folder::update(operation, zone)?),
        "DeleteFolder" => Request::DeleteFolder(folder::delete(&operation)?),
        "FindItem" => Request::FindItem(find::items(&operation, zone)?),
        "GetItem" => Request::GetItem(item::get(&operation)?),
        "CreateItem" => Request::CreateItem(item::create(operation, zone)?),
        "SendItem" => Request::SendItem(item::send(&operation)?),
        "UpdateItem" => Request::UpdateItem(item::update(operation, zone)?),
        "DeleteItem" => Request::DeleteItem(item::delete(&operation)?),
        "MoveItem" => Request::MoveItem(item::transfer(&operation)?),
        "CopyItem" => Request::CopyItem(item::transfer(&operation)?),
        "SyncFolderHierarchy" => Request::SyncFolderHierarchy(sync::hierarchy(&operation)?),
        "SyncFolderItems" => Request::SyncFolderItems(sync::items(&operation)?),
        "Subscribe" => Request::Subscribe(sync::subscribe(&operation)?),
        "GetEvents" => Request::GetEvents(sync::events(&operation)?),
        "Unsubscribe" => Request::Unsubscribe(sync::unsubscribe(&operation)?),
        "ResolveNames" => Request::ResolveNames(lookup::names(&operation)?),
        "GetServerTimeZones" => Request::GetServerTimeZones(lookup::time_zones(&operation)?),
        "ConvertId" => Request::ConvertId(lookup::convert(&operation)?),
        "GetDelegate" => Request::GetDelegate(lookup::delegate(&operation)?),
        _ => return Err(RequestError::UnsupportedOperation { name: operation.name }),
    })
}
