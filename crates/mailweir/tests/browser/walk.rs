//! Every page that one looks at.

/// The pages, of a server where a policy is called Foo.
pub(crate) const PAGES: [&str; 14] = [
    "/",
    "/owners",
    "/owners/JohnDoe",
    "/owners/JohnDoe?at=00:00",
    "/owners/nobody@example.net",
    "/policies",
    "/policies/Foo",
    "/mailboxes",
    "/sessions",
    "/queues",
    "/servers",
    "/events",
    "/audit",
    "/bypass",
];
