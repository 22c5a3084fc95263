//! Tests that wait for a program most of their time, with several programs at once.

use std::sync::Mutex;
use std::{panic, thread};

/// Programs that a test waits for at once.
const MOST: usize = 4;

/// Runs a test with each of some things, such as Javas, four at a time. The first that fails fails it, when those beside
/// it are done.
pub fn at_once<T: Send>(each: impl IntoIterator<Item = T>, test: impl Fn(T) + Sync) {
    let waiting = Mutex::new(each.into_iter().collect::<Vec<T>>().into_iter());
    let next = || waiting.lock().expect("no test holds it").next();
    let work = || {
        while let Some(one) = next() {
            test(one);
        }
    };
    thread::scope(|scope| {
        let workers: Vec<_> = (0..MOST).map(|_| scope.spawn(work)).collect();
        for worker in workers {
            if let Err(failure) = worker.join() {
                panic::resume_unwind(failure);
            }
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_is_tested_once_and_one_failure_fails_all() {
        let seen = Mutex::new(Vec::new());
        at_once(0..10, |one| seen.lock().expect("the list").push(one));
        let mut seen = seen.into_inner().expect("the list");
        seen.sort_unstable();
        assert_eq!(seen, Vec::from_iter(0..10));
        let failed = panic::catch_unwind(|| at_once(0..10, |one| assert_ne!(one, 5, "five"))).expect_err("a failure");
        assert!(failed.downcast_ref::<String>().expect("a message").contains("five"));
    }
}
