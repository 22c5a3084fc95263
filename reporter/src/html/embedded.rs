//! What a page has inside: data that cannot be taken for markup, and the digests by which its policy knows its program.

use std::io;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde::Serialize;
use sha2::{Digest, Sha256};

/// JSON for an element of a page: in JSON `<` occurs only in strings. Escaped, it ends no element and opens no comment.
pub(super) fn in_page(data: &impl Serialize) -> io::Result<String> {
    Ok(serde_json::to_string(data)?.replace('<', "\\u003c"))
}

/// A source expression of the policy (Content Security Policy Level 3, section 2.3.1).
pub(super) fn digest(text: &str) -> String {
    format!("sha256-{}", STANDARD.encode(Sha256::digest(text)))
}
