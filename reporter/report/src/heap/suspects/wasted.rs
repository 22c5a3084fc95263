//! What a program could free or share, in words: copies of applications, unused slots, equal contents, objects that wait.

use weighbridge_heapdump::suspects::COMMON_PERCENT;
use weighbridge_heapdump::suspects::finalizers::Backlog;
use weighbridge_heapdump::suspects::loaders::Copies;
use weighbridge_heapdump::waste::{Collections, Duplicates};
use weighbridge_heapdump::{Error, ObjectIndex};

use super::super::names::address;
use super::found::{Finder, GROUP, NAMED};
use super::suspect::{Suspect, percent};
use weighbridge_table::sheet::share;
use weighbridge_table::units::{bytes, count, count_with_noun};

/// Characters of a text.
const TEXT: usize = 60;

impl Finder<'_> {
    pub(super) fn loaders(&self, copies: &Copies) -> Result<Suspect, Error> {
        let mut suspect = self.blank("loaders", copies.bytes, GROUP);
        let all = self.weighed.reachable_bytes();
        let loaders: Vec<ObjectIndex> = copies.loaders.iter().map(|(loader, _)| *loader).collect();
        let path = self.holders.path(&loaders, COMMON_PERCENT)?;
        let first = copies.stopped.first().copied().unwrap_or(loaders[0]);
        let example = self.holders.path(&[first], 100)?;
        self.set_object(&mut suspect, first, example);
        suspect.title = format!(
            "{} of {} define the same classes and retain {}",
            count_with_noun(loaders.len() as u64, "class loader", "class loaders"),
            suspect.class.as_deref().unwrap_or_default(),
            share(copies.bytes, all)
        );
        suspect.explanation.push(format!(
            "{} each, such as {}: the application was probably loaded anew, and the old ones are still held",
            count_with_noun(copies.names.len() as u64, "class", "classes"),
            copies.names.iter().take(NAMED).cloned().collect::<Vec<_>>().join(", ")
        ));
        if !copies.stopped.is_empty() {
            let at: Vec<String> = copies.stopped.iter().map(|loader| address(self.weighed.heap, *loader)).collect();
            suspect.explanation.push(format!("{} of them say that they were stopped: {}", at.len(), at.join(", ")));
        }
        suspect
            .explanation
            .extend(suspect.held_by.iter().map(|by| format!("the one at the end of the path is held by {by}")));
        if let Some(last) = path.last().filter(|row| row.kind != "root") {
            suspect.explanation.push(format!("the paths to {COMMON_PERCENT} % of them or more pass {}", last.name));
        }
        Ok(suspect)
    }

    pub(super) fn collections(&self, row: &Collections) -> Result<Suspect, Error> {
        let unused = row.empty_bytes + row.sparse_bytes;
        let computed = "slots that the elements do not need at the load factor of 0.75, and whole empty collections; a \
                        lower bound: only known classes of java.util";
        let mut suspect = self.blank("collections", unused, computed);
        let class = self.weighed.heap.classes().get(row.class).name.clone();
        suspect.title = format!(
            "Collections of {class} have {} that they do not use",
            share(unused, self.weighed.reachable_bytes())
        );
        suspect.explanation.push(format!(
            "{} of {} are empty, {} use less than a quarter of their slots",
            count(row.empty),
            count(row.collections),
            count(row.sparse)
        ));
        if let Some((worst, wasted)) = row.worst {
            let path = self.holders.path(&[worst], 100)?;
            self.set_object(&mut suspect, worst, path);
            let held = suspect.held_by.as_ref().map_or_else(String::new, |by| format!(", held by {by}"));
            suspect.explanation.push(format!("the one that wastes most has {} unused{held}", bytes(wasted)));
        }
        suspect.class = Some(class);
        suspect.next.push(self.commands.whole("waste"));
        Ok(suspect)
    }

    fn duplicates(&self, what: &str, found: &Duplicates) -> Suspect {
        let computed = "equal contents by a hash of 96 bits: bytes of all copies but one; arrays of zeros are left out";
        let mut suspect = self.blank("duplicates", found.saved_bytes, computed);
        suspect.title = format!("Equal {what} waste {}", share(found.saved_bytes, self.weighed.reachable_bytes()));
        suspect.explanation.push(format!("{} {what}, {} different", count(found.objects), count(found.distinct)));
        if let Some(group) = found.groups.first() {
            let text = group
                .text
                .as_ref()
                .map_or_else(String::new, |text| format!(", \"{}\"", text.chars().take(TEXT).collect::<String>()));
            let (copies, saved) = (count(group.copies), bytes(group.saved_bytes));
            suspect.explanation.push(format!("most of one content: {copies} copies{text}, {saved}"));
        }
        suspect
    }

    pub(super) fn strings(&self, found: &Duplicates) -> Result<Suspect, Error> {
        let mut suspect = self.duplicates("strings", found);
        let heap = self.weighed.heap;
        if let Some(class) = heap.classes().find_by_name("java.lang.String") {
            let reachable = |string: &ObjectIndex| self.weighed.tree.number_of((*string).into()).is_some();
            let strings: Vec<ObjectIndex> = heap.instances(class).filter(reachable).collect();
            let (path, ends) = self.holders.commonest(&strings)?;
            let object = found.groups.first().map_or(strings[0], |group| group.example);
            self.set_object(&mut suspect, object, path);
            suspect.explanation.extend(
                suspect.held_by.iter().map(|by| {
                    format!("where most strings are, {} of {}: {by}", count(ends), count(strings.len() as u64))
                }),
            );
        }
        suspect.next.push(self.commands.whole("waste"));
        Ok(suspect)
    }

    pub(super) fn arrays(&self, found: &Duplicates) -> Result<Suspect, Error> {
        let mut suspect = self.duplicates("arrays", found);
        if let Some(group) = found.groups.first() {
            let path = self.holders.path(&[group.example], 100)?;
            self.set_object(&mut suspect, group.example, path);
            suspect.explanation.extend(suspect.held_by.iter().map(|by| format!("one of them is held by {by}")));
        }
        suspect.next.push(self.commands.whole("waste"));
        Ok(suspect)
    }

    pub(super) fn finalizers(&self, backlog: &Backlog) -> Suspect {
        let computed =
            "what objects with finalizers reach and nothing else does; these bytes are not among the reachable ones";
        let mut suspect = self.blank("finalizers", backlog.bytes, computed);
        let heap = self.weighed.heap;
        let (class, objects, example) = backlog.commonest;
        let class = heap.classes().get(class).name.clone();
        let all = self.weighed.reachable_bytes() + backlog.bytes;
        suspect.share_percent = percent(backlog.bytes, all);
        suspect.title = format!(
            "{} for a finalizer; they hold {} of the heap with them",
            count_with_noun(backlog.objects, "object waits", "objects wait"),
            share(backlog.bytes, all)
        );
        suspect.explanation.push(format!("{} of them are of {class}", count(objects)));
        let finalizer = (0..self.weighed.tree.threads().len())
            .find(|thread| self.holders.names.thread(*thread) == "thread \"Finalizer\"");
        if let Some(thread) = finalizer {
            let trace = heap.dump().trace(self.weighed.tree.threads()[thread].trace);
            let own = trace.iter().find(|frame| !frame.class.starts_with("java.") && !frame.class.starts_with("jdk."));
            suspect.explanation.push(match own {
                Some(frame) => format!("the Finalizer thread is in {}.{}", frame.class, frame.method),
                None => "the Finalizer thread is in code of the JDK".to_owned(),
            });
        }
        suspect.object = Some(address(heap, example));
        suspect.next.extend(self.commands.object_command("object", suspect.object.as_deref(), &class));
        suspect.next.push(self.commands.whole("threads"));
        suspect.class = Some(class);
        suspect
    }

    pub(super) fn soft(&self) -> Suspect {
        let computed = "what single soft references dominate; it goes before memory runs out";
        let mut suspect = self.blank("soft", self.soft_bytes, computed);
        suspect.title =
            format!("Soft references alone hold {}", share(self.soft_bytes, self.weighed.reachable_bytes()));
        suspect.explanation.push("a cache of this size makes the heap look full, and is emptied at once".to_owned());
        suspect.next.push(format!("{} --soft weak", self.commands.whole("dominators")));
        suspect
    }
}
