use std::io::Read;
/// Reads a JSON list of YAML documents, writes a JSON list with the keyfiles or the error of each.
fn main() {
    let mut text = String::new();
    std::io::stdin().read_to_string(&mut text).expect("standard input");
    let documents: Vec<String> = serde_json::from_str(&text).expect("a JSON list of texts");
    let results: Vec<serde_json::Value> = documents.iter().map(|document| {
        let state: nmstate::NetworkState = match serde_yaml::from_str(document) {
            Ok(state) => state,
            Err(error) => return serde_json::json!({ "error": error.to_string() }),
        };
        match state.gen_conf() {
            Ok(files) => serde_json::json!({ "files": files }),
            Err(error) => serde_json::json!({ "error": error.to_string() }),
        }
    }).collect();
    println!("{}", serde_json::to_string(&results).expect("JSON"));
}
