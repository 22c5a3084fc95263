//! Names of users.

use std::fs;

/// The name of a user in `/etc/passwd`, or else the uid. Users of a directory service are given by uid: their names
/// need the C library.
pub(super) fn name(uid: u32) -> String {
    let users = fs::read_to_string("/etc/passwd").unwrap_or_default();
    find_user_name(&users, uid).unwrap_or_else(|| uid.to_string())
}

/// Searches the lines `name:password:uid:...` of passwd(5).
fn find_user_name(users: &str, uid: u32) -> Option<String> {
    let lines = users.lines().map(|line| line.split(':'));
    lines
        .filter_map(|mut fields| Some((fields.next()?, fields.nth(1)?)))
        .find_map(|(name, id)| (id.parse() == Ok(uid)).then(|| name.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::find_user_name;

    #[test]
    fn a_user_is_named_by_uid() {
        let users = "root:x:0:0:root:/root:/bin/sh\nbroken\n\njo:x:1000:1000::/home/jo:/bin/sh\n";
        assert_eq!(find_user_name(users, 1000).as_deref(), Some("jo"));
        assert_eq!(find_user_name(users, 1), None);
    }
}
