//! `[tls]`: the certificate that clients see. Without one, a self-signed one is made in the data directory.

use std::path::PathBuf;

use super::key::Effect;
use super::reader::Section;

/// Certificate and key; both are given, or neither.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tls {
    /// The chain, as PEM.
    pub certificate: Option<PathBuf>,
    /// The private key, as PEM.
    pub key: Option<PathBuf>,
}

impl Tls {
    /// The files of chain and key, where they are given.
    pub fn files(&self) -> Option<(&PathBuf, &PathBuf)> {
        self.certificate.as_ref().zip(self.key.as_ref())
    }

    pub(super) fn read(s: &mut Section<'_, '_, '_>) -> Self {
        let tls =
            Self { certificate: s.path("certificate", Effect::Reload), key: s.path("key", Effect::Reload) };
        let alone = match (&tls.certificate, &tls.key) {
            (Some(_), None) => Some(("certificate", "key")),
            (None, Some(_)) => Some(("key", "certificate")),
            (Some(_), Some(_)) | (None, None) => None,
        };
        if let Some((there, missing)) = alone {
            let text = format!(
                "tls.{there} is given without tls.{missing}; give both files, or neither for a self-signed certificate"
            );
            s.mistake_at(there, text);
        }
        tls
    }
}
