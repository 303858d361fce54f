use super::*;

/// The table of other people's work.
const README: &str = include_str!("../../../assets/vendor/README.md");

fn header(response: &Response, name: axum::http::HeaderName) -> String {
    response.headers()[name].to_str().unwrap().to_owned()
}

#[tokio::test]
async fn a_file_is_kept_for_ever_under_the_address_of_its_content() {
    for asset in &FILES {
        let response = serve(Path(asset.name.to_owned()), HeaderMap::new()).await;
        assert_eq!(response.status(), StatusCode::OK);
        assert_eq!(header(&response, CONTENT_TYPE), asset.kind);
        assert_eq!(header(&response, CACHE_CONTROL), FOR_EVER);
        let tag = header(&response, ETAG);
        assert_eq!(url(asset.name), format!("/assets/{}?{}", asset.name, tag.trim_matches('"')));
        let known = [(IF_NONE_MATCH, tag.parse().unwrap())].into_iter().collect();
        let again = serve(Path(asset.name.to_owned()), known).await;
        assert_eq!(again.status(), StatusCode::NOT_MODIFIED);
    }
}

#[tokio::test]
async fn what_is_not_in_the_table_is_not_there() {
    for name in ["", "README.md", "../page.css", "page.css.map"] {
        assert_eq!(
            serve(Path(name.to_owned()), HeaderMap::new()).await.status(),
            StatusCode::NOT_FOUND,
            "{name}"
        );
    }
}

#[test]
fn what_others_made_is_what_the_readme_says_it_is() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("assets/vendor");
    let mut files = 0;
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap();
        if name != "README.md" {
            let digest = hexadecimal(digest(&SHA256, &std::fs::read(&path).unwrap()).as_ref());
            let row = README.lines().find(|line| line.contains(&format!("`{name}`"))).unwrap_or_default();
            assert!(row.contains(&digest), "{name} is {digest}, and the README says {row:?}");
            files += 1;
        }
    }
    assert_eq!(files, 5);
}

#[test]
fn no_script_or_style_asks_for_anything_elsewhere() {
    for asset in &FILES {
        let text = std::str::from_utf8(asset.bytes).unwrap();
        for elsewhere in ["@import", "url(http", "//cdn", "sourceMappingURL", "new Function(", "eval("] {
            assert!(!text.contains(elsewhere), "{} says {elsewhere}", asset.name);
        }
    }
}
