use std::fs;
use std::path::Path;

use super::Global;

#[test]
fn the_data_directory_is_the_nearest_one() {
    let folder = tempfile::tempdir().unwrap();
    let installed = folder.path().join("installed.toml");
    let found = |global: &Global| global.data_directory_of(folder.path(), &installed);
    let usual = folder.path().join("mailweir-data");
    let nothing = Global::default();
    assert_eq!(found(&nothing), usual);
    fs::write(&installed, "data = \"/var/lib/mailweir\"\n").unwrap();
    assert_eq!(found(&nothing), Path::new("/var/lib/mailweir"));
    fs::create_dir(&usual).unwrap();
    assert_eq!(found(&nothing), usual, "a server of this folder's is nearer");
    fs::write(folder.path().join("mailweir.toml"), "data = \"/srv/weir\"\n").unwrap();
    assert_eq!(found(&nothing), Path::new("/srv/weir"));
    let named = Global { data: Some("elsewhere".into()), ..Global::default() };
    assert_eq!(found(&named), Path::new("elsewhere"));
}
