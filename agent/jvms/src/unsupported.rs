//! The same calls on systems where attaching is not built.

use std::collections::BTreeMap;
use std::convert::Infallible;
use std::path::Path;
use std::time::Duration;

use crate::{Error, Jvm, Safepoints};

/// Lists nothing here.
///
/// # Errors
/// Always [`Error::OtherSystem`].
pub fn list() -> Result<Vec<Jvm>, Error> {
    Err(Error::OtherSystem)
}

/// The user and the group of a process; not known here.
pub fn user_of(_: u32) -> Option<(u32, u32)> {
    None
}

/// A JVM to attach to. There is none on this system.
#[derive(Debug)]
pub struct AttachTarget(Infallible);

impl Target {
    /// Finds nothing here.
    ///
    /// # Errors
    /// Always [`Error::OtherSystem`].
    pub fn find(_: u32) -> Result<Target, Error> {
        Err(Error::OtherSystem)
    }

    /// The process id as seen from here.
    pub fn pid(&self) -> u32 {
        match self.0 {}
    }

    /// The process id that the JVM itself sees.
    pub fn inner_pid(&self) -> u32 {
        match self.0 {}
    }

    /// The user that the JVM runs as.
    pub fn uid(&self) -> u32 {
        match self.0 {}
    }

    /// The group that the JVM runs as.
    pub fn gid(&self) -> u32 {
        match self.0 {}
    }

    /// What it runs.
    pub fn main(&self) -> Option<&str> {
        match self.0 {}
    }

    /// How often and for how long the program was stopped so far.
    pub fn safepoints(&self) -> Option<Safepoints> {
        match self.0 {}
    }

    /// Bytes of its heap that are in use.
    ///
    /// # Errors
    /// None here: there is no `Target`.
    pub fn heap_in_use(&self, _: Duration) -> Result<Option<u64>, Error> {
        match self.0 {}
    }

    /// The JVM's `/tmp` as seen from here, for messages.
    pub fn temporary(&self) -> &Path {
        match self.0 {}
    }

    /// Finds a file or folder of the JVM's file system.
    ///
    /// # Errors
    /// None here: there is no `Target`.
    #[cfg(unix)]
    pub fn find_inside(&self, _: &Path) -> std::io::Result<weighbridge_outside::Named> {
        match self.0 {}
    }

    /// The JVM's `/tmp`, held open.
    #[cfg(unix)]
    pub fn temporary_folder(&self) -> &std::sync::Arc<weighbridge_outside::Folder> {
        match self.0 {}
    }

    /// Calls a function as the JVM's user.
    ///
    /// # Errors
    /// None here: there is no `Target`.
    pub fn act_as_user<T: Send>(&self, _: impl FnOnce() -> T + Send) -> Result<T, Error> {
        match self.0 {}
    }

    /// Reads the start of a file of the JVM's file system.
    ///
    /// # Errors
    /// None here: there is no `Target`.
    pub fn read_file(&self, _: &Path, _: u64) -> std::io::Result<Vec<u8>> {
        match self.0 {}
    }

    /// Loads a native agent.
    ///
    /// # Errors
    /// None here: there is no `Target`.
    pub fn load_agent(&self, _: &str, _: &str, _: Duration) -> Result<(), Error> {
        match self.0 {}
    }

    /// The system properties.
    ///
    /// # Errors
    /// None here: there is no `Target`.
    pub fn properties(&self, _: Duration) -> Result<BTreeMap<String, String>, Error> {
        match self.0 {}
    }

    /// Sends a command of the protocol.
    ///
    /// # Errors
    /// None here: there is no `Target`.
    pub fn command(&self, _: &str, _: &[&str], _: Duration) -> Result<String, Error> {
        match self.0 {}
    }
}
