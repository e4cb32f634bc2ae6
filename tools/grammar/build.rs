//! Compiles the parser for the tests; a first run of the program writes it.
fn main() {
    let source = "../../assets/editors/tree-sitter-robray/src";
    let parser = format!("{source}/parser.c");
    println!("cargo:rerun-if-changed={parser}");
    if std::path::Path::new(&parser).exists() {
        cc::Build::new()
            .include(source)
            .file(parser)
            .warnings(false)
            .compile("tree_sitter_robray");
    }
}
