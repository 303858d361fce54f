//! A Mailweir that carries mail: the demo's accounts, its listeners at an address of the test's network.

use std::fmt::Write as _;
use std::net::SocketAddr;
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::Value;

use crate::place::Place;
use crate::support::http::get_with_token;
use crate::support::soap::{Client, attribute, text_of, usual};
use crate::support::{Server, eventually};

/// The port for other servers.
const SMTP: u16 = 2525;
/// The port for clients.
const SUBMISSION: u16 = 2587;
/// How long something that is awaited may take.
pub(crate) const PATIENCE: Duration = Duration::from_secs(30);

/// Settings of a hub, put together.
#[derive(Clone, Debug, Default)]
pub(crate) struct Settings {
    listen: String,
    transport: String,
    tables: String,
}

impl Settings {
    /// None but the defaults.
    pub(crate) fn new() -> Settings {
        Settings::default()
    }

    /// Further keys of `[listen]`, one a line.
    pub(crate) fn listen(mut self, keys: &str) -> Settings {
        writeln!(self.listen, "{keys}").unwrap();
        self
    }

    /// Keys of `[transport]`, one a line.
    pub(crate) fn transport(mut self, keys: &str) -> Settings {
        writeln!(self.transport, "{keys}").unwrap();
        self
    }

    /// A whole table.
    pub(crate) fn table(mut self, text: &str) -> Settings {
        writeln!(self.tables, "{text}").unwrap();
        self
    }

    /// A way out for everything of `space`, by these hosts; none: by mail exchangers.
    pub(crate) fn way_out(self, space: &str, hosts: &[SocketAddr]) -> Settings {
        self.way_out_with(space, hosts, "")
    }

    /// The same with further keys.
    pub(crate) fn way_out_with(self, space: &str, hosts: &[SocketAddr], keys: &str) -> Settings {
        let hosts: Vec<String> = hosts.iter().map(ToString::to_string).collect();
        self.table(&format!(
            "[[transport.send_connector]]\nname = \"out-{space}\"\naddress_spaces = [\"{space};1\"]\n\
             smart_hosts = {hosts:?}\n{keys}"
        ))
    }

    /// A way in at `address` for all of this machine, with that permission group and further keys.
    pub(crate) fn way_in(self, name: &str, address: SocketAddr, group: &str, keys: &str) -> Settings {
        self.table(&format!(
            "[[transport.receive_connector]]\nname = \"{name}\"\nbindings = [\"{address}\"]\n\
             remote_ranges = [\"127.0.0.0/8\"]\npermission_groups = [\"{group}\"]\n{keys}"
        ))
    }
}

/// A running hub.
pub(crate) struct Hub {
    /// The program.
    pub(crate) server: Server,
    /// Where it takes mail from servers.
    pub(crate) smtp: SocketAddr,
    /// Where it takes mail from clients.
    pub(crate) submission: SocketAddr,
}

impl Hub {
    /// Starts one at that host's address.
    pub(crate) fn start(place: &Place, host: u8, settings: &Settings) -> Hub {
        let listen = [("smtp", SMTP), ("submission", SUBMISSION), ("http", 8080), ("admin", 8090)];
        let mut keys = String::new();
        for (name, port) in listen {
            writeln!(keys, "{name} = \"{}\"", place.at(host, port)).unwrap();
        }
        write!(keys, "https = \"\"\nimap = \"\"\npop3 = \"\"\n{}", settings.listen).unwrap();
        let tables = format!("[transport]\n{}{}", settings.transport, settings.tables);
        let server = Server::listening(&keys, &tables);
        Hub { server, smtp: place.at(host, SMTP), submission: place.at(host, SUBMISSION) }
    }

    /// One that takes everything from this machine and sends what is for `test` to these hosts.
    pub(crate) fn relay(place: &Place, hosts: &[SocketAddr], settings: Settings) -> Hub {
        let settings = settings.way_in("relay", place.at(1, SMTP), "relay", "").way_out("*.test", hosts);
        Hub::start(place, 1, &settings)
    }

    /// What a listing says.
    pub(crate) fn listing(&self, words: &[&str]) -> Vec<Value> {
        let text = self.server.run(&[words, &["--json"]].concat());
        let value: Value = serde_json::from_str(&text).unwrap();
        let list = value.as_array().cloned();
        list.or_else(|| value.as_object()?.values().find_map(Value::as_array).cloned()).unwrap()
    }

    /// Messages in all queues.
    pub(crate) fn queued(&self) -> u64 {
        self.counted(&["ready", "sending", "deferred"])
    }

    /// Messages that are on their way or could be.
    pub(crate) fn sending(&self) -> u64 {
        self.counted(&["ready", "sending"])
    }

    fn counted(&self, numbers: &[&str]) -> u64 {
        let queues = self.listing(&["queue", "list"]);
        let number = |queue: &Value| numbers.iter().map(|name| queue[*name].as_u64().unwrap()).sum::<u64>();
        queues.iter().map(number).sum()
    }

    /// Whether it has sent everything on, after a while.
    pub(crate) fn is_empty(&self) -> bool {
        eventually(PATIENCE, || (self.queued() == 0).then_some(())).is_some()
    }

    /// The queue whose name holds `part`, once it has mail and waits for another attempt.
    pub(crate) fn queue_waits(&self, part: &str) -> Value {
        let waits =
            |queue: &Value| queue["next_hop"].as_str().unwrap().contains(part) && queue["state"] == "Retry";
        let found = eventually(PATIENCE, || self.listing(&["queue", "list"]).into_iter().find(waits));
        found.unwrap_or_else(|| panic!("no mail waits in {part}: {:#?}", self.listing(&["queue", "list"])))
    }

    /// A mail in the inbox of one of the demo's people whose subject holds `part`, as soon as it is there: its whole text.
    pub(crate) fn mail_of(&self, person: &str, part: &str) -> String {
        let client = Client::new(&self.server, person);
        let found =
            eventually(PATIENCE, || inbox(client).into_iter().find(|mail| mail.subject.contains(part)));
        let found = found.unwrap_or_else(|| panic!("{person} has no mail about {part}: {:?}", inbox(client)));
        let content = "<m:GetItem><m:ItemShape><t:BaseShape>IdOnly</t:BaseShape><t:IncludeMimeContent>true\
                       </t:IncludeMimeContent></m:ItemShape><m:ItemIds>";
        let reply = client.call(&format!("{content}<t:ItemId Id=\"{}\"/></m:ItemIds></m:GetItem>", found.id));
        let coded = text_of(&reply.body, "MimeContent").unwrap_or_else(|| panic!("{reply:?}"));
        String::from_utf8_lossy(&STANDARD.decode(coded).unwrap()).into_owned()
    }

    /// How many mails that person has in the inbox.
    pub(crate) fn mails_of(&self, person: &str) -> usize {
        inbox(Client::new(&self.server, person)).len()
    }

    /// Waits until that person has so many mails, and says how many there are then.
    pub(crate) fn mails_within(&self, person: &str, mails: usize) -> usize {
        eventually(PATIENCE, || (self.mails_of(person) >= mails).then_some(()));
        self.mails_of(person)
    }

    /// Removes every mail of that person's inbox.
    pub(crate) fn empties_inbox(&self, person: &str) {
        let client = Client::new(&self.server, person);
        let ids = inbox(client).into_iter().map(|mail| format!("<t:ItemId Id=\"{}\"/>", mail.id));
        let ids: String = ids.collect();
        let reply = client.call(&format!(
            "<m:DeleteItem DeleteType=\"HardDelete\"><m:ItemIds>{ids}</m:ItemIds></m:DeleteItem>"
        ));
        assert!(reply.body.contains("NoError"), "{reply:?}");
    }

    /// How often connecting to a server has failed, as the connectivity log has it.
    pub(crate) fn attempts_in_vain(&self, address: SocketAddr) -> usize {
        let failed = format!("Failed connection to {address} ");
        self.connectivity().iter().filter(|line| line.contains(&failed)).count()
    }

    /// What a metric without labels says.
    pub(crate) fn metric(&self, name: &str) -> u64 {
        let page = get_with_token(self.server.admin, "/metrics", "").body;
        let line = page.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(' '));
        line.unwrap_or_else(|| panic!("no {name} in {page}")).parse().unwrap()
    }

    /// What `target list` says of a server.
    pub(crate) fn target(&self, address: SocketAddr) -> Option<Value> {
        let address = address.to_string();
        self.listing(&["target", "list"]).into_iter().find(|target| target["address"] == address.as_str())
    }

    /// Waits until a server is in that state, and gives all that is said of it then.
    pub(crate) fn target_gets(&self, address: SocketAddr, state: &str) -> Value {
        let found = eventually(PATIENCE, || self.target(address).filter(|target| target["state"] == state));
        found.unwrap_or_else(|| panic!("{address} is not {state}: {:?}", self.target(address)))
    }

    /// The lines of the connectivity log.
    pub(crate) fn connectivity(&self) -> Vec<String> {
        let Ok(folder) = std::fs::read_dir(self.server.data().join("log/connectivity")) else {
            return Vec::new();
        };
        let files = folder.map(|file| std::fs::read_to_string(file.unwrap().path()).unwrap());
        let text: String = files.collect();
        text.lines().filter(|line| !line.starts_with('#')).map(str::to_owned).collect()
    }

    /// Waits until the connectivity log has a line that holds all of these, and gives it.
    pub(crate) fn connectivity_says(&self, parts: &[&str]) -> String {
        let found = eventually(PATIENCE, || {
            self.connectivity().into_iter().find(|line| parts.iter().all(|part| line.contains(part)))
        });
        found.unwrap_or_else(|| panic!("no line says {parts:?}: {:#?}", self.connectivity()))
    }
}

/// One mail of an inbox.
#[derive(Debug)]
struct Found {
    id: String,
    subject: String,
}

fn inbox(client: Client<'_>) -> Vec<Found> {
    let reply = client.call(&format!(
        "<m:FindItem Traversal=\"Shallow\"><m:ItemShape><t:BaseShape>Default</t:BaseShape></m:ItemShape>\
         <m:ParentFolderIds>{}</m:ParentFolderIds></m:FindItem>",
        usual("inbox")
    ));
    let mails = reply.body.split("<t:Message>").skip(1);
    mails
        .map(|mail| Found {
            id: attribute(mail, "ItemId", "Id").unwrap(),
            subject: text_of(mail, "Subject").unwrap_or_default(),
        })
        .collect()
}
