//! Distinguished names of the kind by which MAPI names people.

/// The distinguished name that Mailweir's embedded mailbox server gives the owner of an address; none, where it is no
/// address. Other servers have others.
///
/// ```
/// use weir_client::mapi::legacy_dn;
/// let dn = legacy_dn("john.doe@example.com").unwrap_or_default();
/// assert!(dn.starts_with("/o=example.com/ou=") && dn.ends_with("/cn=Recipients/cn=john.doe"));
/// ```
pub fn legacy_dn(address: &str) -> Option<String> {
    let (local, domain) =
        address.split_once('@').filter(|(local, domain)| !local.is_empty() && !domain.is_empty())?;
    let group = "Exchange Administrative Group (FYDIBOHF23SPDLT)";
    Some(format!("/o={domain}/ou={group}/cn=Recipients/cn={local}"))
}
