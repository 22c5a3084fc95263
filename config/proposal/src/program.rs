//! The classes of a program: its own, and those of its libraries.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::{BufReader, Cursor, Read, Seek};
use std::path::{Path, PathBuf};

use anyhow::Context;
use walkdir::WalkDir;
use weighbridge_ending::input::check_input;
use weighbridge_ending::{Failure, messages, shell};
use weighbridge_rewriter::instrument::{CLASS_FOLDERS, LIBRARY_FOLDERS};
use weighbridge_rewriter::manifest::Manifest;
use zip::ZipArchive;

/// The largest nested archive that is looked into; a larger one is taken for data.
const LARGEST_NESTED: u64 = 1 << 30;
/// The longest manifest that is read.
const LONGEST_MANIFEST: u64 = 16 << 20;
/// Where builds put classes.
const BUILT: [&str; 4] =
    ["target/classes", "build/classes/java/main", "build/classes/kotlin/main", "build/classes/scala/main"];

/// What a program consists of. Names of classes are dotted.
#[derive(Debug, Default)]
pub struct Program {
    /// As people call it.
    pub name: String,
    pub(crate) main: Option<String>,
    /// The Maven group ids that the archive names.
    pub(crate) groups: Vec<String>,
    pub(crate) own: BTreeSet<String>,
    pub(crate) libraries: BTreeSet<String>,
    /// Whether libraries are apart from the program's own classes, so that all of these are the program's.
    pub(crate) apart: bool,
    /// How it is run, if that is known.
    pub command: Option<String>,
}

impl Program {
    /// Reads an archive, a directory of classes or archives, or a project that is built.
    pub fn read(source: &Path) -> Result<Program, Failure> {
        let name = source.display().to_string();
        let mut program = match source.is_dir() {
            true => Program::of_folder(source)?,
            false => {
                let mut program = Program::default();
                program.add_archive(source)?;
                if program.main.is_some() {
                    program.command = Some(format!("java -jar {}", shell::quoted(source)));
                }
                program
            }
        };
        if program.own.is_empty() && program.libraries.is_empty() {
            return Err(Failure::input(match source.is_dir() {
                true => format!("{name}: no classes or jars here; build the project first, or name its jar"),
                false => format!("{name}: no classes in this archive"),
            }));
        }
        program.name = match (source.file_name(), source.is_dir()) {
            (Some(file), _) => file.to_string_lossy().into_owned(),
            (None, _) => "this directory".to_owned(),
        };
        Ok(program)
    }

    /// How many classes there are.
    pub fn all(&self) -> usize {
        self.own.union(&self.libraries).count()
    }

    fn of_folder(folder: &Path) -> Result<Program, Failure> {
        let mut program = Program::default();
        for classes in built(folder) {
            program.add_folder(&classes)?;
        }
        if program.own.is_empty() {
            program.add_folder(folder)?;
        }
        if !program.own.is_empty() {
            program.apart = true;
            return Ok(program);
        }
        let mut jars: Vec<PathBuf> = WalkDir::new(folder)
            .max_depth(3)
            .into_iter()
            .filter_map(|entry| entry.ok().map(walkdir::DirEntry::into_path))
            .filter(|path| path.extension().is_some_and(|ending| ending == "jar" || ending == "war"))
            .filter(|path| can_be_opened(path))
            .collect();
        jars.sort();
        match jars.as_slice() {
            [one] => program.add_archive(one)?,
            _ => {
                for jar in &jars {
                    program.add_jar_of_class_path(jar)?;
                }
            }
        }
        Ok(program)
    }

    /// Adds an archive whose classes are the program's, but for those of nested archives.
    pub(crate) fn add_archive(&mut self, path: &Path) -> Result<(), Failure> {
        let name = path.display();
        let mut archive = open(path)?;
        let manifest = manifest(&mut archive);
        let main =
            |key: &str| manifest.as_ref().and_then(|manifest| manifest.main(key)).map(|main| main.trim().to_owned());
        let of_loader = |main: &String| main.starts_with("org.springframework.boot.loader.");
        self.main = self.main.take().or(main("Start-Class")).or(main("Main-Class").filter(|main| !of_loader(main)));
        let names: Vec<String> = entries(&archive);
        let apart = names.iter().any(|name| CLASS_FOLDERS.iter().any(|folder| name.starts_with(folder)));
        self.apart |= apart;
        for name in &names {
            let own = CLASS_FOLDERS.iter().find_map(|folder| name.strip_prefix(folder));
            match (own, apart) {
                (Some(own), _) => self.own.extend(class_name(own)),
                (None, false) => self.own.extend(class_name(name)),
                // The launcher of such an archive.
                (None, true) => self.libraries.extend(class_name(name)),
            }
            if let Some(coordinates) = name.strip_prefix("META-INF/maven/")
                && let [group, _, "pom.properties"] = coordinates.split('/').collect::<Vec<_>>()[..]
            {
                self.groups.push(group.to_owned());
            }
        }
        for nested in names
            .iter()
            .filter(|name| name.ends_with(".jar") && LIBRARY_FOLDERS.iter().any(|folder| name.starts_with(folder)))
        {
            let bytes = read_entry(&mut archive, nested, LARGEST_NESTED)
                .with_context(|| format!("{name}: {}: cannot be read", nested.escape_debug()))?;
            if let Some(bytes) = bytes
                && let Ok(inner) = ZipArchive::new(Cursor::new(bytes))
            {
                self.libraries.extend(entries(&inner).iter().filter_map(|name| class_name(name)));
            }
        }
        Ok(())
    }

    /// Adds a jar beside others: it is the program's if it has the main class.
    pub(crate) fn add_jar_of_class_path(&mut self, path: &Path) -> Result<(), Failure> {
        let archive = open(path)?;
        let classes: BTreeSet<String> = entries(&archive).iter().filter_map(|name| class_name(name)).collect();
        match self.main.as_ref().is_some_and(|main| classes.contains(main)) {
            true => self.own.extend(classes),
            false => self.libraries.extend(classes),
        }
        Ok(())
    }

    /// Adds a directory of classes.
    pub(crate) fn add_folder(&mut self, folder: &Path) -> Result<(), Failure> {
        for entry in WalkDir::new(folder) {
            let entry = entry.with_context(|| format!("{}: cannot be read", folder.display()))?;
            let relative = entry.path().strip_prefix(folder).ok().and_then(Path::to_str);
            self.own.extend(relative.and_then(|path| class_name(&path.replace('\\', "/"))));
        }
        Ok(())
    }
}

/// The directories of classes of a project and of its modules.
fn built(folder: &Path) -> Vec<PathBuf> {
    let of = |folder: &Path| {
        BUILT.map(|built| folder.join(built)).into_iter().filter(|built| built.is_dir()).collect::<Vec<_>>()
    };
    let mut all = of(folder);
    let mut modules: Vec<PathBuf> = fs::read_dir(folder)
        .map(|entries| entries.filter_map(|entry| entry.ok().map(|entry| entry.path())).collect())
        .unwrap_or_default();
    modules.sort();
    all.extend(modules.iter().filter(|module| module.is_dir()).flat_map(|module| of(module)));
    all
}

/// Warns of what is left out because to open it waits for another process ([`check_input`]).
fn can_be_opened(path: &Path) -> bool {
    check_input(path).inspect_err(|refused| messages::warn(format!("{}; left out", refused.sentence()))).is_ok()
}

fn open(path: &Path) -> Result<ZipArchive<BufReader<File>>, Failure> {
    check_input(path)?;
    let name = path.display();
    let file = File::open(path).with_context(|| format!("{name}: cannot be read"))?;
    ZipArchive::new(BufReader::new(file)).map_err(|error| Failure::input(format!("{name}: is no jar: {error}")))
}

/// The names of an archive's entries. What is no text is no name of a class that a pattern could match.
fn entries(archive: &ZipArchive<impl Read + Seek>) -> Vec<String> {
    archive.file_names().filter_map(|name| name.ok().map(std::borrow::Cow::into_owned)).collect()
}

fn manifest(archive: &mut ZipArchive<impl Read + Seek>) -> Option<Manifest> {
    let text = read_entry(archive, "META-INF/MANIFEST.MF", LONGEST_MANIFEST).ok()??;
    Some(Manifest::parse(text))
}

/// The content of an entry; `None` if it is longer than that.
fn read_entry(archive: &mut ZipArchive<impl Read + Seek>, name: &str, most: u64) -> std::io::Result<Option<Vec<u8>>> {
    let entry = archive.by_name(name).map_err(std::io::Error::other)?;
    let mut content = Vec::new();
    entry.take(most + 1).read_to_end(&mut content)?;
    Ok((content.len() as u64 <= most).then_some(content))
}

/// The dotted name of the class that an entry has.
fn class_name(entry: &str) -> Option<String> {
    let mut path = entry.strip_suffix(".class")?;
    if let Some(versioned) = path.strip_prefix("META-INF/versions/") {
        path = versioned.split_once('/')?.1;
    }
    let simple = path.rsplit('/').next()?;
    if path.starts_with("META-INF/") || matches!(simple, "module-info" | "package-info") {
        return None;
    }
    Some(path.replace('/', "."))
}
