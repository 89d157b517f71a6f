//! Keeps the embedded site in step with `target/site`, which `cargo run -p xtask -- site` builds.

fn main() -> std::io::Result<()> {
    // Debug builds read the folder as they run, but only one that was there when they were built.
    std::fs::create_dir_all("../target/site")?;
    let embeds = std::env::var("PROFILE").is_ok_and(|profile| profile == "release");
    println!(
        "cargo::rerun-if-changed={}",
        if embeds { "../target/site" } else { "build.rs" }
    );
    Ok(())
}
