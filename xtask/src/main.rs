//! Builds the browser's half of Denpyo: `cargo run --release -p xtask -- site [--dev]`.
//!
//! The result is `target/site`, which the server embeds: the public files, `hash.txt`, and in
//! `pkg/<hash>/` the script, the WebAssembly and the styles, each with a `.br` and a `.gz` beside it.

mod css;

use std::collections::BTreeMap;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use anyhow::{Context, Result, bail, ensure};
use sha2::{Digest, Sha256};
use walrus::{ExportItem, RefType};
use wasm_bindgen_cli_support::Bindgen;

const TARGET: &str = "wasm32-unknown-unknown";
const NAME: &str = "denpyo";

/// Debian's compiler, for machines whose own has no WebAssembly and cannot fetch it.
const DEBIAN_RUSTC: &str = "/usr/bin/rustc";
const DEBIAN_STD_SOURCE: &str = "/usr/lib/rustlib/src/rust/library";

/// What rustc lets LLVM use in WebAssembly; browsers have known it all since 2022.
const WASM_FEATURES: [&str; 6] = [
    "--enable-bulk-memory",
    "--enable-multivalue",
    "--enable-mutable-globals",
    "--enable-nontrapping-float-to-int",
    "--enable-reference-types",
    "--enable-sign-ext",
];

/// Files by their path within a folder.
type Files = BTreeMap<String, Vec<u8>>;

fn main() -> Result<ExitCode> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["site"] => site(false)?,
        ["site", "--dev"] => site(true)?,
        _ => {
            eprintln!("usage: xtask site [--dev]");
            return Ok(ExitCode::from(2));
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn site(dev: bool) -> Result<()> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"))
        .parent()
        .context("no workspace")?;
    let site = root.join("target/site");
    let stamp_file = root.join("target/wasm-build/site.stamp");

    let wasm = build_wasm(root, dev)?;
    let css = css::bundle(&root.join("style"))?;
    let mut files = read_folder(&root.join("public"))?;

    // The recipe itself is an input, and so is the lock file: it pins the bindings generator.
    let mut inputs = files.clone();
    inputs.insert("/recipe".into(), include_bytes!("main.rs").to_vec());
    inputs.insert("/lock".into(), fs::read(root.join("Cargo.lock"))?);
    inputs.insert("/dev".into(), vec![u8::from(dev)]);
    inputs.insert("/wasm".into(), fs::read(&wasm)?);
    inputs.insert("/css".into(), css.clone().into_bytes());
    let stamp = digest(&inputs);
    if fs::read_to_string(&stamp_file).is_ok_and(|old| old == stamp) && is_whole(&site) {
        return Ok(());
    }

    // Whatever stops this half-way leaves no stamp, so that the next run starts over.
    let _ = fs::remove_file(&stamp_file);
    let mut package = bind(root, &wasm, dev)?;
    package.insert(format!("{NAME}.css"), css.into_bytes());
    let hash = digest(&package)[..16].to_owned();
    for (name, bytes) in package {
        let br = brotli(&bytes, if dev { 5 } else { 11 })?;
        eprintln!(
            "{name}: {} kB, as brotli {} kB",
            kilobytes(&bytes),
            kilobytes(&br)
        );
        let path = format!("pkg/{hash}/{name}");
        files.insert(format!("{path}.br"), br);
        files.insert(format!("{path}.gz"), gzip(&bytes)?);
        files.insert(path, bytes);
    }
    files.insert("hash.txt".into(), hash.into_bytes());
    write_folder(&site, &files)?;
    fs::write(&stamp_file, stamp)?;
    Ok(())
}

/// Compiles `frontend`, in a target folder of its own: it neither waits for a build of the server
/// nor undoes one.
fn build_wasm(root: &Path, dev: bool) -> Result<PathBuf> {
    let profile = if dev { "wasm-dev" } else { "wasm" };
    let target_dir = root.join("target/wasm-build");
    let mut cargo = Command::new("cargo");
    cargo
        .current_dir(root)
        .args([
            "build",
            "--package",
            "frontend",
            "--target",
            TARGET,
            "--profile",
            profile,
        ])
        .arg("--target-dir")
        .arg(&target_dir)
        // Set by `cargo run`: it would mix two compilers' libraries.
        .env_remove("LD_LIBRARY_PATH");
    if !has_wasm()? {
        ensure!(
            Path::new(DEBIAN_RUSTC).exists() && Path::new(DEBIAN_STD_SOURCE).exists(),
            "this Rust cannot compile to WebAssembly: `rustup target add {TARGET}`, \
             or on Debian `scripts/setup.sh`"
        );
        // Debian ships the standard library as source; building it is still called unstable.
        cargo
            .env("RUSTC", DEBIAN_RUSTC)
            .env("RUSTC_BOOTSTRAP", "1")
            .env("CARGO_UNSTABLE_BUILD_STD", "std,panic_abort");
    }
    run(&mut cargo)?;
    Ok(target_dir.join(TARGET).join(profile).join("frontend.wasm"))
}

/// Whether the compiler in use brings a standard library for WebAssembly.
fn has_wasm() -> Result<bool> {
    let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let output = Command::new(rustc)
        .args(["--print", "target-libdir", "--target", TARGET])
        .output()
        .context("rustc does not start")?;
    let folder = String::from_utf8(output.stdout)?;
    Ok(output.status.success() && Path::new(folder.trim()).is_dir())
}

/// Writes the script that loads the WebAssembly, and makes the latter small.
fn bind(root: &Path, wasm: &Path, dev: bool) -> Result<Files> {
    let folder = root.join("target/wasm-build/bindings");
    if folder.exists() {
        fs::remove_dir_all(&folder)?;
    }
    Bindgen::new()
        .input_path(wasm)
        .out_name(NAME)
        .web(true)?
        .typescript(false)
        .remove_name_section(!dev)
        .remove_producers_section(!dev)
        .generate(&folder)?;
    if !dev {
        let wasm = folder.join(format!("{NAME}_bg.wasm"));
        let mut wasm_opt = Command::new("wasm-opt");
        wasm_opt
            .args(WASM_FEATURES)
            .arg("-Oz")
            .arg(&wasm)
            .arg("-o")
            .arg(&wasm);
        run(&mut wasm_opt).context("wasm-opt comes with the package binaryen")?;
        mend_table_export(&wasm)?;
    }
    read_folder(&folder)
}

/// Debian's wasm-opt (108) exports the first table whichever was meant, and the script then finds
/// functions where it keeps the page's objects.
fn mend_table_export(wasm: &Path) -> Result<()> {
    let mut module = walrus::ModuleConfig::new()
        .generate_producers_section(false)
        .parse_file(wasm)?;
    let objects = module
        .tables
        .iter()
        .find(|table| table.element_ty == RefType::EXTERNREF);
    let objects = objects.context("no table for the page's objects")?.id();
    for export in module.exports.iter_mut() {
        if export.name == "__wbindgen_externrefs" {
            export.item = ExportItem::Table(objects);
        }
    }
    module.emit_wasm_file(wasm)
}

fn run(command: &mut Command) -> Result<()> {
    let name = command.get_program().to_string_lossy().into_owned();
    let status = command
        .status()
        .with_context(|| format!("{name} does not start"))?;
    if !status.success() {
        bail!("{name}: {status}");
    }
    Ok(())
}

/// One name for exactly these files.
fn digest(files: &Files) -> String {
    let mut sha = Sha256::new();
    for (name, bytes) in files {
        sha.update((name.len() as u64).to_le_bytes());
        sha.update(name);
        sha.update((bytes.len() as u64).to_le_bytes());
        sha.update(bytes);
    }
    sha.finalize()
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect()
}

fn brotli(bytes: &[u8], quality: i32) -> Result<Vec<u8>> {
    let settings = brotli::enc::BrotliEncoderParams {
        quality,
        ..Default::default()
    };
    let mut output = Vec::new();
    brotli::BrotliCompress(&mut &bytes[..], &mut output, &settings)?;
    Ok(output)
}

fn gzip(bytes: &[u8]) -> Result<Vec<u8>> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
    encoder.write_all(bytes)?;
    Ok(encoder.finish()?)
}

fn kilobytes(bytes: &[u8]) -> usize {
    bytes.len().div_ceil(1000)
}

/// All files under `folder`; none where there is no such folder.
fn read_folder(folder: &Path) -> Result<Files> {
    fn add(folder: &Path, prefix: &str, files: &mut Files) -> Result<()> {
        for entry in fs::read_dir(folder)? {
            let entry = entry?;
            let name = entry
                .file_name()
                .into_string()
                .ok()
                .context("a file name is not UTF-8")?;
            let name = format!("{prefix}{name}");
            if entry.file_type()?.is_dir() {
                add(&entry.path(), &format!("{name}/"), files)?;
            } else {
                files.insert(name, fs::read(entry.path())?);
            }
        }
        Ok(())
    }
    let mut files = Files::new();
    if folder.is_dir() {
        add(folder, "", &mut files).with_context(|| folder.display().to_string())?;
    }
    Ok(files)
}

/// Makes `folder` hold these files and no others.
fn write_folder(folder: &Path, files: &Files) -> Result<()> {
    if folder.is_dir() {
        for entry in fs::read_dir(folder)? {
            let path = entry?.path();
            if path.is_dir() {
                fs::remove_dir_all(path)
            } else {
                fs::remove_file(path)
            }?;
        }
    }
    for (name, bytes) in files {
        let path = folder.join(name);
        fs::create_dir_all(path.parent().context("no folder")?)?;
        fs::write(&path, bytes).with_context(|| path.display().to_string())?;
    }
    Ok(())
}

/// Whether `site` still holds the package that the stamp speaks of.
fn is_whole(site: &Path) -> bool {
    fs::read_to_string(site.join("hash.txt")).is_ok_and(|hash| {
        site.join("pkg")
            .join(hash)
            .join(format!("{NAME}.js"))
            .exists()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_hash_tells_names_and_contents_apart() {
        let files = |list: &[(&str, &str)]| -> Files {
            list.iter()
                .map(|(name, text)| ((*name).into(), (*text).into()))
                .collect()
        };
        let hash = digest(&files(&[("a.js", "x"), ("b.css", "y")]));
        assert_eq!(hash.len(), 64);
        assert_eq!(hash, digest(&files(&[("b.css", "y"), ("a.js", "x")])));
        assert_ne!(hash, digest(&files(&[("a.js", "xb"), (".css", "y")])));
        assert_ne!(hash, digest(&files(&[("a.js", "x"), ("c.css", "y")])));
    }

    #[test]
    fn a_written_folder_holds_nothing_else() -> Result<()> {
        let folder = std::env::temp_dir().join(format!("denpyo-xtask-{}", std::process::id()));
        write_folder(
            &folder,
            &Files::from([("pkg/old/a.js".into(), b"1".to_vec())]),
        )?;
        let files = Files::from([
            ("hash.txt".into(), b"new".to_vec()),
            ("pkg/new/a.js".into(), b"2".to_vec()),
        ]);
        write_folder(&folder, &files)?;
        assert_eq!(read_folder(&folder)?, files);
        fs::remove_dir_all(&folder)?;
        Ok(())
    }
}
