//! What `weighbridge heap components --as-recorded` leaves out, so that a dump's figures equal a recording's own bytes.

use weighbridge_config::{Config, Pattern, PatternSet, default_hubs};
use weighbridge_heapdump::components::{AssignmentRule, Definition, Names, Suspend, Turn};
use weighbridge_heapdump::{FollowSoft, RUNTIME};

/// How the walk of a recording sees the heap.
pub(super) struct AsRecorded {
    /// Objects that the walk does not enter, as components that hold nothing.
    pub(super) borders: Vec<Definition>,
    /// Whether it follows soft references.
    pub(super) soft: FollowSoft,
}

impl AsRecorded {
    /// Uses the settings that the configuration builds into a program.
    pub(super) fn from_config(config: Option<&Config>) -> AsRecorded {
        let setting = |wanted: &str| {
            let mut settings = config.map_or(&[][..], Config::runtime_settings).iter();
            settings.find(|(key, _)| *key == wanted).map(|(_, value)| value.as_str())
        };
        let patterns =
            |text: &str| PatternSet::new(text.split(';').filter_map(|one| Pattern::parse(one).ok()).collect());
        let hubs = setting("hubs").map_or_else(default_hubs, patterns);
        let excluded = setting("exclude").map(patterns).unwrap_or_default();
        let matching = |set: PatternSet| -> Names { Box::new(move |name| set.matches_class(name)) };
        let loaders = |name: &str| matches!(name, "java.lang.ClassLoader" | "java.lang.Module");
        let border = |name: &str, turn, rule| Definition { name: name.to_owned(), turn, suspend: Suspend::Both, rule };
        let instances = |names| AssignmentRule { instances: Some(names), ..AssignmentRule::default() };
        AsRecorded {
            borders: vec![
                border("(classes)", Turn::Rules, AssignmentRule { class_objects: true, ..AssignmentRule::default() }),
                border("(weighbridge)", Turn::Rules, instances(Box::new(|name| name.starts_with(RUNTIME)))),
                border("(excluded)", Turn::Rules, instances(matching(excluded))),
                border("(loaders)", Turn::Rules, instances(Box::new(loaders))),
                border("(hubs)", Turn::Borders, instances(matching(hubs))),
            ],
            soft: if setting("soft") == Some("true") { FollowSoft::Strong } else { FollowSoft::Weak },
        }
    }
}
