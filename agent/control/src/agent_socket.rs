//! The sockets of agents that a user can ask.

use std::path::PathBuf;
use std::sync::Arc;

use weighbridge_outside::{Fault, Folder};

use crate::client::Client;
use crate::endpoint::folder_name;
use crate::error::{Error, Result};
use crate::sockets;

/// A socket at which an agent listens, in the `/tmp` of its process.
#[derive(Clone, Debug)]
pub struct AgentSocket {
    /// The process, by its number where it runs. In a container that is not the number outside.
    pub pid: u32,
    temporary: Arc<Folder>,
    /// The name of the folder in it.
    folder: String,
    user: u32,
}

impl AgentSocket {
    /// The socket that an agent names by the path that it has in its own file system. `None` if no agent has such a path: what
    /// a JVM says must not lead anywhere else.
    pub fn parse(path_inside: &str, temporary: &Arc<Folder>, user: u32) -> Option<AgentSocket> {
        let (folder, name) = path_inside.strip_prefix("/tmp/")?.split_once('/')?;
        // The agent's user has another number outside of its container, so it is not compared.
        folder.strip_prefix("weighbridge-")?.parse::<u32>().ok()?;
        let pid = name.strip_suffix(".sock")?.parse().ok()?;
        Some(AgentSocket { pid, temporary: temporary.clone(), folder: folder.to_owned(), user })
    }

    /// Its path as seen from here, for messages.
    pub fn path(&self) -> PathBuf {
        self.temporary.path().join(&self.folder).join(self.name())
    }

    fn name(&self) -> String {
        format!("{}.sock", self.pid)
    }

    /// Connects to it. The folder is opened anew: an agent that ends removes it, and a later one makes another.
    ///
    /// # Errors
    /// [`Error::NoAgent`] if nobody listens there, [`Error::Late`] if the agent accepts nobody now, [`Error::Unsafe`] if
    /// somebody else may have made the folder or the socket.
    pub fn connect(&self) -> Result<Client> {
        match self.temporary.open_private(&self.folder, self.user) {
            Ok(folder) => Client::connect_in(&folder, &self.name(), self.user),
            Err(fault) if fault.is_absent() => Err(Error::NoAgent(self.path())),
            Err(fault) => Err(Error::fault(&self.temporary.path().join(&self.folder))(fault)),
        }
    }
}

/// The sockets in a user's folder in a `/tmp` at which an agent listens, by process number. Removes those of dead processes.
///
/// An empty list if there is no folder.
///
/// # Errors
/// The folder is not as it must be: somebody else may have put sockets there. Or it cannot be read.
pub fn list_agent_sockets(temporary: &Arc<Folder>, user: u32) -> Result<Vec<AgentSocket>> {
    let name = folder_name(user);
    let folder = match temporary.open_private(&name, user) {
        Err(fault) if fault.is_absent() => return Ok(Vec::new()),
        opened => opened.map_err(|fault: Fault| Error::fault(&temporary.path().join(&name))(fault))?,
    };
    let found = sockets::list(&folder, user)?.into_iter();
    Ok(found.map(|pid| AgentSocket { pid, temporary: temporary.clone(), folder: name.clone(), user }).collect())
}
