//! Acts as the user of a JVM, where this process is root.

use std::panic;
use std::thread;

use rustix::process::{Gid, Uid, getegid, geteuid};
use rustix::thread::{set_thread_res_gid, set_thread_res_uid};

use crate::Error;

/// Calls a function as a user and group: in a thread of its own, for Linux keeps them for each thread.
///
/// HotSpot before 11, and any in a user namespace without this root, answers only its own user. What is written belongs
/// to that user too, and root follows no link that the user laid. If this process is not root, it calls as it is.
/// After it, Linux writes no core file of this process (`PR_SET_DUMPABLE`).
pub(super) fn as_user<T: Send>(
    (pid, uid, gid): (u32, u32, u32),
    call: impl FnOnce() -> Result<T, Error> + Send,
) -> Result<T, Error> {
    if !geteuid().is_root() || (geteuid().as_raw(), getegid().as_raw()) == (uid, gid) {
        return call();
    }
    let become_and_call = || {
        // The group first: the user may not change it.
        let (gid, uid) = (Gid::from_raw(gid), Uid::from_raw(uid));
        set_thread_res_gid(gid, gid, gid)
            .and_then(|()| set_thread_res_uid(uid, uid, uid))
            .map_err(|e| Error::System { pid, what: "act as its user", source: e.into() })?;
        call()
    };
    thread::scope(|scope| match scope.spawn(become_and_call).join() {
        Ok(result) => result,
        Err(panicked) => panic::resume_unwind(panicked),
    })
}

#[cfg(test)]
mod tests {
    use rustix::process::geteuid;

    use super::as_user;

    #[test]
    fn only_the_call_is_of_the_other_user() {
        let before = geteuid().as_raw();
        let called = as_user((1, 65534, 65534), || Ok(geteuid().as_raw())).unwrap();
        assert_eq!(called, if before == 0 { 65534 } else { before });
        assert_eq!(geteuid().as_raw(), before);
    }
}
