//! A client of mail systems that obeys when it is told to wait.
//!
//! Servers that throttle speak in the words of their own protocol, and most programs that use them do not listen: they ask
//! again at once, and are the worse off for it. The client here waits as long as it is told, asks again for exactly what was
//! not done, and says how long it waited.
//!
//! | module | what it speaks |
//! |---|---|
//! | [`mapi`] | MAPI over HTTP, to an Exchange server, or Mailweir |

mod clock;
pub mod mapi;
