//! The few EWS requests that the tests send by hand, and a reader of attributes and elements that is good enough.

use super::http::{self, Reply};
use super::{PASSWORD, Server};
use std::fmt::Write as _;

const SOAP: &str = "http://schemas.xmlsoap.org/soap/envelope/";
const TYPES: &str = "http://schemas.microsoft.com/exchange/services/2006/types";
const MESSAGES: &str = "http://schemas.microsoft.com/exchange/services/2006/messages";

/// A version that knows `ErrorExceededFindCountLimit`.
pub(crate) const SINCE_2010: &str = "Exchange2010_SP2";
/// A version that does not.
pub(crate) const BEFORE_2010: &str = "Exchange2007_SP1";

/// One of the demo accounts, as a client that speaks a version.
#[derive(Clone, Copy)]
pub(crate) struct Client<'s> {
    server: &'s Server,
    name: &'s str,
    version: &'s str,
}

impl<'s> Client<'s> {
    /// `name`@example.com, speaking Exchange 2010.
    pub(crate) fn new(server: &'s Server, name: &'s str) -> Self {
        Client { server, name, version: SINCE_2010 }
    }

    /// The same client speaking another version.
    pub(crate) fn speaking(self, version: &'s str) -> Self {
        Client { version, ..self }
    }

    /// Its `Authorization` field.
    pub(crate) fn authorization(&self) -> String {
        http::basic(&format!("{}@example.com", self.name), PASSWORD)
    }

    /// Sends the operation that `operation` is and gives the answer.
    pub(crate) fn call(&self, operation: &str) -> Reply {
        http::post(self.server.http, &self.authorization(), envelope(self.version, operation).as_bytes())
    }

    /// Asks for the number of items in one of the usual folders; whoever can do that is served.
    pub(crate) fn is_served(&self) -> bool {
        let reply = self.call(&get_folder("inbox"));
        reply.status == 200 && reply.body.contains("NoError")
    }

    /// Creates a folder below the inbox and gives its identifier.
    pub(crate) fn create_folder(&self, name: &str) -> String {
        let reply = self.call(&format!(
            "<m:CreateFolder><m:ParentFolderId><t:DistinguishedFolderId Id=\"inbox\"/></m:ParentFolderId>\
             <m:Folders><t:Folder><t:DisplayName>{name}</t:DisplayName></t:Folder></m:Folders></m:CreateFolder>"
        ));
        attribute(&reply.body, "FolderId", "Id").unwrap_or_else(|| panic!("{reply:?}"))
    }

    /// Creates `count` drafts in the folder, a few hundred with each request.
    pub(crate) fn fill(&self, folder: &str, count: usize) {
        let mut left = count;
        while left > 0 {
            let batch = left.min(500);
            self.fill_at_once(folder, batch);
            left -= batch;
        }
    }

    /// Creates `count` drafts in the folder with one request.
    pub(crate) fn fill_at_once(&self, folder: &str, count: usize) {
        let mut items = String::new();
        for number in 1..=count {
            write!(items, "<t:Message><t:Subject>Item {number}</t:Subject></t:Message>").unwrap();
        }
        let reply = self.call(&format!(
            "<m:CreateItem MessageDisposition=\"SaveOnly\"><m:SavedItemFolderId>{folder}</m:SavedItemFolderId>\
             <m:Items>{items}</m:Items></m:CreateItem>"
        ));
        let made = reply.body.matches("<m:ResponseCode>NoError</m:ResponseCode>").count();
        assert_eq!((reply.status, made), (200, count), "{}", &reply.body[..reply.body.len().min(2000)]);
    }
}

/// The SOAP envelope of an operation.
pub(crate) fn envelope(version: &str, operation: &str) -> String {
    format!(
        "<?xml version=\"1.0\" encoding=\"utf-8\"?>\
         <s:Envelope xmlns:s=\"{SOAP}\" xmlns:t=\"{TYPES}\" xmlns:m=\"{MESSAGES}\">\
         <s:Header><t:RequestServerVersion Version=\"{version}\"/></s:Header>\
         <s:Body>{operation}</s:Body></s:Envelope>"
    )
}

/// `GetFolder` of one of the usual folders.
pub(crate) fn get_folder(name: &str) -> String {
    format!(
        "<m:GetFolder><m:FolderShape><t:BaseShape>Default</t:BaseShape></m:FolderShape>\
         <m:FolderIds>{}</m:FolderIds></m:GetFolder>",
        usual(name)
    )
}

/// `FindItem` over folders. `view` is a view's element, or nothing for all items at once.
pub(crate) fn find_item(view: &str, folders: &str) -> String {
    format!(
        "<m:FindItem Traversal=\"Shallow\"><m:ItemShape><t:BaseShape>IdOnly</t:BaseShape></m:ItemShape>{view}\
         <m:ParentFolderIds>{folders}</m:ParentFolderIds></m:FindItem>"
    )
}

/// A page of at most `most` items from `offset` on.
pub(crate) fn page(most: u32, offset: u32) -> String {
    format!(
        "<m:IndexedPageItemView MaxEntriesReturned=\"{most}\" Offset=\"{offset}\" BasePoint=\"Beginning\"/>"
    )
}

/// One of the usual folders.
pub(crate) fn usual(name: &str) -> String {
    format!("<t:DistinguishedFolderId Id=\"{name}\"/>")
}

/// A folder by its identifier.
pub(crate) fn folder(id: &str) -> String {
    format!("<t:FolderId Id=\"{id}\"/>")
}

/// The paging attributes of every `RootFolder` in an answer, in their order.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Root {
    pub(crate) offset: Option<u32>,
    pub(crate) total: u32,
    pub(crate) last: String,
    pub(crate) items: usize,
}

/// Reads every `RootFolder` of an answer.
pub(crate) fn roots(body: &str) -> Vec<Root> {
    body.split("RootFolder ").skip(1).map(root).collect()
}

fn root(text: &str) -> Root {
    let tag = text.split('>').next().unwrap();
    let number = |name: &str| value(tag, name).map(|digits| digits.parse().unwrap());
    Root {
        offset: number("IndexedPagingOffset"),
        total: number("TotalItemsInView").unwrap_or_else(|| panic!("no TotalItemsInView in {tag}")),
        last: value(tag, "IncludesLastItemInRange").unwrap_or_default(),
        items: text.split("RootFolder").next().unwrap().matches("ItemId ").count(),
    }
}

/// The identifiers of the items in an answer.
pub(crate) fn item_ids(body: &str) -> Vec<String> {
    body.split("ItemId ").skip(1).filter_map(|rest| value(rest.split('>').next().unwrap(), "Id")).collect()
}

/// The value of an attribute of the first element of that name, whatever its prefix.
pub(crate) fn attribute(body: &str, element: &str, name: &str) -> Option<String> {
    let start = body.find(&format!(":{element} "))?;
    value(body[start..].split('>').next()?, name)
}

/// The text of the first element of that name.
pub(crate) fn text_of(body: &str, element: &str) -> Option<String> {
    let mut tags = body.split('<').skip(1).filter(|tag| !tag.starts_with('/'));
    let (name, text) =
        tags.find_map(|tag| tag.split_once('>').filter(|(name, _)| is_named(name, element)))?;
    (!name.ends_with('/')).then(|| text.to_owned())
}

/// Whether what stands between `<` and `>` is the beginning of an element of that name, whatever its prefix.
fn is_named(tag: &str, element: &str) -> bool {
    let name = tag.split(char::is_whitespace).next().unwrap_or_default();
    name.rsplit(':').next() == Some(element)
}

fn value(tag: &str, name: &str) -> Option<String> {
    let start =
        tag.find(&format!(" {name}=\"")).map(|at| at + 1).or_else(|| tag.find(&format!("{name}=\"")))?;
    tag[start + name.len() + 2..].split('"').next().map(str::to_owned)
}
