//! Why something failed, and whose fault it is.

use weighbridge_heapsql::Error as QueryError;
use weighbridge_rewriter::error::{Error as RewriterError, JarErrorKind};

/// Why something failed that was asked for.
#[derive(Debug)]
pub enum Failure {
    /// The command line asks for something forbidden or impossible.
    Usage(anyhow::Error),
    /// An input cannot be used.
    Input(anyhow::Error),
    /// Weighbridge has a defect.
    Defect(anyhow::Error),
    /// The reader of standard output closed it, which is no error.
    BrokenPipe,
}

impl Failure {
    /// Wrong usage, in a sentence.
    pub fn usage(message: impl std::fmt::Display) -> Self {
        Failure::Usage(anyhow::anyhow!("{message}"))
    }

    /// Why, in one line.
    pub fn sentence(&self) -> String {
        match self {
            Failure::Usage(error) | Failure::Input(error) | Failure::Defect(error) => format!("{error:#}"),
            Failure::BrokenPipe => "nobody reads".to_owned(),
        }
    }

    /// An input that cannot be used, in a sentence.
    pub fn input(message: impl std::fmt::Display) -> Self {
        Failure::Input(anyhow::anyhow!("{message}"))
    }
}

/// Other errors are about an input: a file, a process.
impl From<anyhow::Error> for Failure {
    fn from(error: anyhow::Error) -> Self {
        Failure::Input(error)
    }
}

impl From<RewriterError> for Failure {
    fn from(error: RewriterError) -> Self {
        match error.kind() {
            JarErrorKind::Output => Failure::Usage(error.into()),
            JarErrorKind::Internal => Failure::Defect(error.into()),
            _ => Failure::Input(error.into()),
        }
    }
}

impl From<weighbridge_jvms::Error> for Failure {
    fn from(error: weighbridge_jvms::Error) -> Self {
        Failure::Input(error.into())
    }
}

impl From<weighbridge_config::Error> for Failure {
    fn from(error: weighbridge_config::Error) -> Self {
        Failure::Input(error.into())
    }
}

impl From<weighbridge_heapdump::Error> for Failure {
    fn from(error: weighbridge_heapdump::Error) -> Self {
        Failure::Input(error.into())
    }
}

impl From<QueryError> for Failure {
    fn from(error: QueryError) -> Self {
        match error {
            QueryError::Dump(error) => error.into(),
            QueryError::Sql { .. } => Failure::Usage(error.into()),
        }
    }
}
