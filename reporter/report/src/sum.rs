//! Sums that are known only if all their parts are.

/// Adds `Option`s: one unknown part makes the sum unknown.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) enum Sum {
    #[default]
    Empty,
    Known(u64),
    Unknown,
}

impl Sum {
    /// Adds a part. Saturates: a damaged or hostile file must not end the report.
    pub(crate) fn add(&mut self, part: Option<u64>) {
        *self = match (*self, part) {
            (Sum::Unknown, _) | (_, None) => Sum::Unknown,
            (Sum::Empty, Some(part)) => Sum::Known(part),
            (Sum::Known(sum), Some(part)) => Sum::Known(sum.saturating_add(part)),
        };
    }

    /// The sum; `None` if a part is unknown or there is none.
    pub(crate) fn value(self) -> Option<u64> {
        match self {
            Sum::Known(sum) => Some(sum),
            Sum::Empty | Sum::Unknown => None,
        }
    }

    pub(crate) fn sum_parts(parts: impl IntoIterator<Item = Option<u64>>) -> Option<u64> {
        let mut sum = Sum::default();
        parts.into_iter().for_each(|part| sum.add(part));
        sum.value()
    }
}

/// The value of all parts; `None` if they differ or one has none.
pub(crate) fn agreed<T: PartialEq>(parts: impl IntoIterator<Item = Option<T>>) -> Option<T> {
    let mut parts = parts.into_iter();
    let first = parts.next()??;
    parts.all(|part| part.as_ref() == Some(&first)).then_some(first)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sum_with_an_unknown_part_is_unknown_and_an_empty_one_too() {
        assert_eq!(Sum::sum_parts([Some(1), Some(2)]), Some(3));
        assert_eq!(Sum::sum_parts([Some(1), None, Some(2)]), None);
        assert_eq!(Sum::sum_parts([]), None);
        assert_eq!(Sum::sum_parts([Some(u64::MAX), Some(1)]), Some(u64::MAX));
    }

    #[test]
    fn facts_are_common_only_if_all_agree() {
        assert_eq!(agreed([Some("G1"), Some("G1")]), Some("G1"));
        assert_eq!(agreed([Some("G1"), Some("ZGC")]), None);
        assert_eq!(agreed([Some("G1"), None]), None);
        assert_eq!(agreed::<u64>([]), None);
    }
}
