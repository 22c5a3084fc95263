//! A chunk.

use std::path::Path;

use crate::body::Body;
use crate::error::Error;
use crate::event::ChunkEvents;
use crate::header::Header;
use crate::pools;
use crate::types::{Type, Types};

/// A part of a recording that can be read without the others.
#[derive(Debug)]
pub struct Chunk(Body);

impl Chunk {
    /// `bytes`: all of it, with its header.
    pub(crate) fn new(file: &Path, offset: u64, header: Header, bytes: Vec<u8>) -> Result<Self, Error> {
        let (types, constants) = Default::default();
        let mut body = Body { file: file.to_owned(), offset, header, bytes, types, constants };
        body.types = Types::read(body.cursor(header.types as usize)).map_err(|flaw| body.error(flaw))?;
        body.constants = pools::read(&body).map_err(|flaw| body.error(flaw))?;
        Ok(Chunk(body))
    }

    /// Its header: when it began, and how long it lasted.
    pub fn header(&self) -> &Header {
        &self.0.header
    }

    /// The types that it describes.
    pub fn types(&self) -> &[Type] {
        &self.0.types.all
    }

    /// Its events, in the order of the file, which is not that of time.
    pub fn events(&self) -> ChunkEvents<'_> {
        ChunkEvents::from_body(&self.0)
    }
}
