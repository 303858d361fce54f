use super::*;

fn written(disk: &Simulated, name: &str) -> SimulatedFile {
    let file = disk.create(name).unwrap();
    disk.sync_names().unwrap();
    file.write_at(&[1; 2_000], 0).unwrap();
    file
}

#[test]
fn what_is_synced_survives_and_what_is_not_may_be_there_in_part() {
    let mut lengths = Vec::new();
    for seed in 0..50 {
        let disk = Simulated::new(seed);
        let file = written(&disk, "a");
        file.sync().unwrap();
        file.write_at(&[2; 3_000], 2_000).unwrap();
        disk.restart(true);
        let content = disk.content("a").unwrap();
        assert_eq!(content[..2_000], [1; 2_000]);
        lengths.push(content.len());
    }
    assert!(lengths.contains(&2_000) && lengths.contains(&5_000), "{lengths:?}");
    assert!(lengths.iter().any(|length| (2_001..5_000).contains(length)), "{lengths:?}");
}

#[test]
fn a_later_sync_does_not_mend_one_that_failed() {
    let is_mended = |seed| {
        let disk = Simulated::new(seed);
        let file = written(&disk, "a");
        disk.inject(disk.operations() + 1, Fault::Error);
        assert!(file.sync().is_err());
        assert!(file.sync().is_ok());
        assert_eq!(disk.content("a").unwrap(), [1; 2_000], "it can be read all the same");
        disk.restart(true);
        disk.content("a").unwrap() == [1; 2_000]
    };
    assert!(!(0..20).all(is_mended));
}

#[test]
fn a_file_whose_coming_was_not_synced_may_be_gone_and_one_that_went_may_be_back() {
    let mut seen = std::collections::BTreeSet::new();
    for seed in 0..30 {
        let disk = Simulated::new(seed);
        drop(written(&disk, "old"));
        disk.create("new").unwrap();
        disk.remove("old").unwrap();
        disk.restart(true);
        seen.insert(disk.names().unwrap());
    }
    assert_eq!(seen.len(), 4, "{seen:?}");
}

#[test]
fn a_process_that_dies_takes_nothing_with_it_and_its_files_are_closed() {
    let disk = Simulated::new(1);
    let file = written(&disk, "a");
    disk.inject(disk.operations() + 1, Fault::Crash);
    assert!(file.sync().is_err());
    assert!(disk.names().is_err());
    disk.restart(false);
    assert_eq!(disk.content("a").unwrap(), [1; 2_000]);
    assert!(file.length().is_err());
}

#[test]
fn a_full_disk_takes_what_fits_and_what_is_written_over() {
    let disk = Simulated::new(1);
    disk.set_capacity(2_500);
    let file = written(&disk, "a");
    assert_eq!(file.write_at(&[2; 1_000], 2_000).unwrap(), 500);
    assert_eq!(file.write_at(&[2; 1_000], 2_500).unwrap_err().kind(), io::ErrorKind::StorageFull);
    assert_eq!(file.write_at(&[3; 1_000], 0).unwrap(), 1_000);
}
