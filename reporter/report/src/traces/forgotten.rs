//! Few objects that stay and that nobody uses, of classes whose other objects go.

use std::collections::BTreeMap;

use super::run::{AllocationSite, Run};

/// Objects of a class that were made meanwhile, at least: fewer say nothing.
const MADE: u64 = 20;
/// So many of a hundred of them are gone; the last ones are still at work.
const GONE: u64 = 50;

/// Objects of a class that seem forgotten.
#[derive(Debug, Clone, PartialEq)]
pub struct Forgotten {
    /// The class.
    pub class: String,
    /// Objects that were not used in the second half of the run.
    pub stay: u64,
    /// Objects that were made meanwhile.
    pub made: u64,
    /// Of these, found dead.
    pub died: u64,
    /// The call that made most of those that stay; none if they were there before.
    pub made_by: Option<String>,
}

impl Run {
    /// By the trace `uses`, after a collection; those with the most objects first.
    pub fn forgotten(&self) -> Vec<Forgotten> {
        let mut classes: BTreeMap<&str, Vec<&AllocationSite>> = BTreeMap::new();
        for site in
            self.traces.iter().filter(|trace| trace.what == "uses").flat_map(|trace| trace.sites.iter().flatten())
        {
            classes.entry(&site.class).or_default().push(site);
        }
        let forgotten = |(class, sites): (&str, Vec<&AllocationSite>)| {
            let meanwhile = || sites.iter().filter(|site| !site.was_before());
            let made: u64 = meanwhile().map(|site| site.made).sum();
            let died: u64 = meanwhile().map(|site| site.died).sum();
            let stay: u64 = sites.iter().filter_map(|site| site.unused_half).sum();
            let judged = sites.iter().all(|site| !site.not_judged && site.not_followed == 0);
            let most = sites.iter().max_by_key(|site| site.unused_half)?;
            let found = judged && stay > 0 && made >= MADE && died * 100 >= made * GONE;
            found.then(|| Forgotten {
                class: class.to_owned(),
                stay,
                made,
                died,
                made_by: most.frames.first().filter(|_| !most.was_before()).cloned(),
            })
        };
        let mut all: Vec<Forgotten> = classes.into_iter().filter_map(forgotten).collect();
        all.sort_by_key(|forgotten| std::cmp::Reverse(forgotten.stay));
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(sites: &[(&str, u64, u64, u64)]) -> Run {
        let site = |(at, &(frame, made, died, half)): (usize, &(&str, u64, u64, u64))| {
            format!(
                "{{\"place\":{at},\"class\":\"a.Session\",\"frames\":[\"{frame}\"],\"made\":{made},\"bytes_each\":24,\
                 \"died\":{died},\"live\":{},\"not_followed\":0,\"lived_ms\":0,\"longest_ms\":0,\"lives\":[],\
                 \"unused_half\":{half},\"unused\":[]}}",
                made - died
            )
        };
        let sites: Vec<String> = sites.iter().enumerate().map(site).collect();
        let text = format!(
            "{{\"name\":\"a\",\"state\":\"ended\",\"since_ms\":0,\"lasted_ms\":1,\"of\":[],\"scopes\":[],\
             \"probed\":{{\"classes\":1,\"us\":1,\"longest_us\":1}},\"traces\":[{{\"what\":\"uses\",\"places\":[{}]}}]}}",
            sites.join(",")
        );
        serde_json::from_str(&text).unwrap()
    }

    #[test]
    fn few_that_stay_are_found_where_most_others_go() {
        let found = run(&[("a.Shop.open:3", 100, 97, 2), ("(there before the trace)", 5, 0, 5)]).forgotten();
        let [forgotten] = found.as_slice() else { panic!("{found:?}") };
        assert_eq!((forgotten.stay, forgotten.made, forgotten.died, &forgotten.made_by), (7, 100, 97, &None));
        assert_eq!(run(&[("a.Shop.open:3", 100, 97, 0)]).forgotten(), [], "they are in use");
        assert_eq!(run(&[("a.Shop.open:3", 100, 40, 50)]).forgotten(), [], "a store");
        assert_eq!(run(&[("(there before the trace)", 5, 0, 5)]).forgotten(), [], "nobody makes others");
    }
}
