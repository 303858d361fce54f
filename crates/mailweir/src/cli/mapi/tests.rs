use super::*;

fn folder(id: u64, depth: u32, name: &str) -> Folder {
    Folder { id, depth, name: name.to_owned(), messages: 3, unread: 1 }
}

fn tree() -> Vec<(String, Folder)> {
    paths(&[
        folder(1, 0, "Inbox"),
        folder(2, 1, "Projects"),
        folder(3, 2, "Old"),
        folder(4, 1, "Old"),
        folder(5, 0, "Drafts"),
    ])
}

#[test]
fn folders_have_paths_in_the_order_of_the_tree() {
    let paths: Vec<String> = tree().into_iter().map(|(path, _)| path).collect();
    assert_eq!(paths, ["Inbox", "Inbox/Projects", "Inbox/Projects/Old", "Inbox/Old", "Drafts"]);
}

#[test]
fn a_folder_is_found_by_its_path_or_by_a_name_that_only_it_has() {
    let tree = tree();
    for (wanted, id) in [("inbox", 1), ("/Inbox/Old/", 4), ("projects", 2), ("INBOX/projects/OLD", 3)] {
        assert_eq!(find(&tree, wanted).unwrap().1.id, id, "{wanted}");
    }
    let several = find(&tree, "Old").unwrap_err().to_string();
    assert_eq!(several, "several folders are named Old; write one of Inbox/Projects/Old, Inbox/Old");
    let none = find(&tree, "Sent").unwrap_err();
    assert_eq!(none.status(), 1);
    assert!(none.to_string().starts_with("there is no folder Sent; "), "{none}");
}

#[test]
fn listings_say_what_there_is_and_how_much_more() {
    let rows: Vec<FolderRow> =
        tree().into_iter().take(2).map(|(path, folder)| folder_row(path, &folder)).collect();
    let table =
        "FOLDER          MESSAGES  UNREAD\nInbox           3         1\nInbox/Projects  3         1\n";
    assert_eq!(text::folders(&rows), table);
    let row = MessageRow {
        time: Some("2026-11-30T09:00:00Z".to_owned()),
        from: "Jane\nDoe".to_owned(),
        subject: "Minutes".to_owned(),
        size: 4096,
        read: true,
        id: "1".to_owned(),
    };
    let mut rows = MessageRows { folder: "Inbox".to_owned(), total: 9, messages: vec![row] };
    let table = "TIME                  FROM       SUBJECT  SIZE\n\
                 2026-11-30T09:00:00Z  Jane\\nDoe  Minutes  4096\nand 8 more, which --top shows\n";
    assert_eq!(text::messages(&rows), table);
    rows = MessageRows { total: 0, messages: Vec::new(), ..rows };
    assert_eq!(text::messages(&rows), "Inbox has no messages\n");
}
