//! Acts as the user whose files these are, where this process is root.

use std::io;
#[cfg(target_os = "linux")]
use std::{panic, thread};

#[cfg(target_os = "linux")]
use rustix::process::{Gid, Uid, getegid, geteuid, getgroups};
#[cfg(target_os = "linux")]
use rustix::thread::{set_thread_groups, set_thread_res_gid, set_thread_res_uid};

/// Calls a function as a user and group, without supplementary groups: in a thread of its own, for Linux keeps all of them
/// for each thread.
///
/// HotSpot before 11, and any in a user namespace without this root, answers only its own user. What is written belongs
/// to that user too, and no folder or link that the user lays leads root to what the user could not reach. If this process is
/// not root, it calls as it is. After it, Linux writes no core file of this process (`PR_SET_DUMPABLE`).
///
/// # Errors
/// The system does not let this process become the user. Then the function is not called.
#[cfg(target_os = "linux")]
pub fn as_user<T: Send>((uid, gid): (u32, u32), call: impl FnOnce() -> T + Send) -> io::Result<T> {
    if !geteuid().is_root() || (geteuid().as_raw(), getegid().as_raw()) == (uid, gid) {
        return Ok(call());
    }
    let become_and_call = || {
        let (gid, uid) = (Gid::from_raw(gid), Uid::from_raw(uid));
        // Groups first: the user may not change them. Those of root, such as `disk` or `docker`, would open to the user's
        // links what the user cannot open. Not asked for if there are none: a user namespace may forbid the call.
        if !getgroups()?.is_empty() {
            set_thread_groups(&[])?;
        }
        set_thread_res_gid(gid, gid, gid)?;
        set_thread_res_uid(uid, uid, uid)?;
        Ok(call())
    };
    thread::scope(|scope| match scope.spawn(become_and_call).join() {
        Ok(result) => result,
        Err(panicked) => panic::resume_unwind(panicked),
    })
}

/// Calls a function. Where threads have no users of their own, nobody attaches to JVMs of others.
///
/// # Errors
/// None here.
#[cfg(not(target_os = "linux"))]
pub fn as_user<T: Send>(_: (u32, u32), call: impl FnOnce() -> T + Send) -> io::Result<T> {
    Ok(call())
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use rustix::process::{Gid, geteuid, getgroups};
    use rustix::thread::set_thread_groups;

    use super::as_user;

    #[test]
    fn only_the_call_is_of_the_other_user_and_it_has_no_other_groups() {
        let before = geteuid().as_raw();
        if before != 0 {
            println!("only root can act as another user");
            return assert_eq!(as_user((65534, 65534), || geteuid().as_raw()).unwrap(), before);
        }
        // A thread of its own: the groups are the thread's.
        let told = std::thread::spawn(|| {
            set_thread_groups(&[Gid::from_raw(6), Gid::from_raw(0)]).unwrap();
            let called = as_user((65534, 65534), || (geteuid().as_raw(), getgroups().unwrap())).unwrap();
            (called, getgroups().unwrap().len())
        });
        assert_eq!(told.join().unwrap(), ((65534, vec![]), 2));
        assert_eq!(geteuid().as_raw(), before);
    }
}
