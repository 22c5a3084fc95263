//! The control channel: how a client asks the agent inside a running JVM, and how it follows a recording.
//!
//! - [`Command`], [`Request`] and [`Reply`] are the lines of the protocol (`docs/control.md`).
//! - [`Server`] is the agent's side. One thread of its own serves all clients; it knows nothing of the JVM.
//! - [`Client`] is the other side: blocking, with a time limit for each question.
//! - [`AttachAnswer`] is what an attach leaves in a file.
//! - [`list_agent_sockets`] lists the agents that a user can ask.
//!
//! A client can neither block the program nor make the server hold more memory than [`Limits`] say.

#[cfg(unix)]
mod agent_socket;
mod attach_answer;
mod client;
mod connection;
mod endpoint;
mod error;
mod heap_components;
mod late;
mod protocol;
mod server;
#[cfg(unix)]
mod sockets;
mod state;
mod strangers;
mod token;

#[cfg(unix)]
pub use agent_socket::{AgentSocket, list_agent_sockets};
pub use attach_answer::AttachAnswer;
pub use client::{Client, Lines};
pub use endpoint::{Endpoint, folder, user};
pub use error::{Error, Result};
pub use heap_components::{HeapComponent, HeapComponents};
pub use protocol::{Body, Command, Filters, Reply, Request, VERSION};
pub use server::{Next, Server, Ticket};
pub use state::ServerLimits;
pub use token::read_token;
