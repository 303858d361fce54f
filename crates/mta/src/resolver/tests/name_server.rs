//! A name server on a loopback address that says what its zone tells it to, and lies where that says so.

use std::net::{Ipv4Addr, SocketAddr};
use std::sync::{Arc, Mutex};

use hickory_resolver::proto::op::{Message, MessageType, Query, ResponseCode};
use hickory_resolver::proto::rr::rdata::{CNAME, MX, NS, SOA};
use hickory_resolver::proto::rr::{Name, RData, Record, RecordType};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, UdpSocket};
use tokio::task::JoinSet;

/// Lines of `name ttl TYPE data`, or of `name WORD`, which says how the server misbehaves about that name.
pub(in crate::resolver) struct NameServer {
    pub(in crate::resolver) address: SocketAddr,
    asked: Arc<Mutex<Vec<String>>>,
    _tasks: JoinSet<()>,
}

#[derive(Clone, Copy, PartialEq)]
enum Transport {
    Datagram,
    Stream,
}

impl NameServer {
    pub(in crate::resolver) async fn start(zone: &'static str) -> Self {
        let (datagrams, streams, address) = sockets().await;
        let asked = Arc::new(Mutex::new(Vec::new()));
        let mut tasks = JoinSet::new();
        let log = Arc::clone(&asked);
        tasks.spawn(async move {
            let mut buffer = [0; 4096];
            while let Ok((length, from)) = datagrams.recv_from(&mut buffer).await {
                for reply in replies(zone, &buffer[..length], Transport::Datagram, &log) {
                    datagrams.send_to(&reply, from).await.unwrap();
                }
            }
        });
        let log = Arc::clone(&asked);
        tasks.spawn(async move {
            while let Ok((mut stream, _)) = streams.accept().await {
                let length = stream.read_u16().await.unwrap();
                let mut question = vec![0; length.into()];
                stream.read_exact(&mut question).await.unwrap();
                for reply in replies(zone, &question, Transport::Stream, &log) {
                    stream.write_u16(u16::try_from(reply.len()).unwrap()).await.unwrap();
                    stream.write_all(&reply).await.unwrap();
                }
            }
        });
        Self { address, asked, _tasks: tasks }
    }

    /// The questions so far, such as `pool.test. MX`.
    pub(in crate::resolver) fn asked(&self) -> Vec<String> {
        self.asked.lock().unwrap().clone()
    }
}

/// One port for both transports.
async fn sockets() -> (UdpSocket, TcpListener, SocketAddr) {
    loop {
        let datagrams = UdpSocket::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
        let address = datagrams.local_addr().unwrap();
        if let Ok(streams) = TcpListener::bind(address).await {
            return (datagrams, streams, address);
        }
    }
}

fn replies(zone: &str, question: &[u8], transport: Transport, log: &Mutex<Vec<String>>) -> Vec<Vec<u8>> {
    let question = Message::from_vec(question).unwrap();
    let query = question.queries[0].clone();
    log.lock().unwrap().push(format!("{} {}", query.name().to_ascii(), query.query_type()));
    let mut reply = question.clone();
    reply.metadata.message_type = MessageType::Response;
    let lines: Vec<Vec<&str>> = zone.lines().map(|line| line.split_whitespace().collect()).collect();
    let is_asked = |line: &&Vec<&str>| line.first().is_some_and(|name| named(name) == *query.name());
    let own: Vec<&Vec<&str>> = lines.iter().filter(is_asked).collect();
    let word = own.iter().find(|line| line.len() == 2).map(|line| line[1]);
    let honest = honest(&reply, &query, &own);
    match word {
        None => vec![honest.to_vec().unwrap()],
        Some("SILENT") => Vec::new(),
        Some("TRUNCATED") if transport == Transport::Stream => vec![honest.to_vec().unwrap()],
        Some("TRUNCATED") => {
            reply.metadata.truncation = true;
            vec![reply.to_vec().unwrap()]
        }
        Some("WRONGID") => {
            let mut forged = reply.clone();
            forged.metadata.id = reply.id.wrapping_add(1);
            forged.add_answer(Record::from_rdata(
                query.name().clone(),
                9,
                RData::A(Ipv4Addr::new(6, 6, 6, 6).into()),
            ));
            vec![forged.to_vec().unwrap(), honest.to_vec().unwrap()]
        }
        Some("GARBAGE") => vec![[&reply.id.to_be_bytes()[..], &[0xC0; 40]].concat()],
        Some("STRANGER") => {
            reply.add_answer(Record::from_rdata(
                named("stranger.test"),
                9,
                RData::A(Ipv4Addr::new(6, 6, 6, 6).into()),
            ));
            vec![reply.to_vec().unwrap()]
        }
        Some("REFERRAL") => {
            let elsewhere = RData::NS(NS(named("ns.elsewhere.test")));
            reply.add_authority(Record::from_rdata(query.name().clone(), 9, elsewhere));
            vec![reply.to_vec().unwrap()]
        }
        Some(code) => {
            let codes = [("SERVFAIL", ResponseCode::ServFail), ("REFUSED", ResponseCode::Refused)];
            reply.metadata.response_code = codes.iter().find(|(word, _)| *word == code).unwrap().1;
            vec![reply.to_vec().unwrap()]
        }
    }
}

/// What a name server says that tells the truth.
fn honest(reply: &Message, query: &Query, lines: &[&Vec<&str>]) -> Message {
    let mut reply = reply.clone();
    let records: Vec<Record> =
        lines.iter().filter(|line| line.len() > 2).map(|line| record(query.name(), line)).collect();
    let of = |kind| records.iter().filter(move |record| record.record_type() == kind).cloned();
    let wanted: Vec<Record> = of(query.query_type()).collect();
    let found = if wanted.is_empty() { of(RecordType::CNAME).collect() } else { wanted };
    if found.is_empty() {
        let (own, admin) = (named("test"), named("admin.test"));
        let soa = RData::SOA(SOA::new(own.clone(), admin, 1, 60, 60, 60, 60));
        reply.add_authority(Record::from_rdata(own, 60, soa));
    }
    if lines.is_empty() {
        reply.metadata.response_code = ResponseCode::NXDomain;
    }
    reply.add_answers(found);
    reply
}

fn record(name: &Name, line: &[&str]) -> Record {
    let data = match line[2] {
        "A" => RData::A(line[3].parse::<Ipv4Addr>().unwrap().into()),
        "AAAA" => RData::AAAA(line[3].parse::<std::net::Ipv6Addr>().unwrap().into()),
        "MX" => RData::MX(MX::new(line[3].parse().unwrap(), named(line[4]))),
        "CNAME" => RData::CNAME(CNAME(named(line[3]))),
        other => panic!("the zone has a record of type {other}"),
    };
    Record::from_rdata(name.clone(), line[1].parse().unwrap(), data)
}

fn named(name: &str) -> Name {
    let mut name = Name::from_ascii(name).unwrap();
    name.set_fqdn(true);
    name
}
