//! Copies the records outside the heap to another dump.

use std::collections::HashSet;
use std::io::{self, Write};

use super::Dump;
use super::u32_at;
use super::window::{Missing, NARROW, Window};
use crate::error::Error;

/// Why records are not copied: the dump cannot be read, or the copy cannot be written.
pub(crate) enum Failed {
    Dump(Error),
    Output(io::Error),
}

impl Dump {
    /// Writes the header and the names, classes, frames and stack traces. Of the texts only those in `names`. Gives how
    /// many others there are.
    pub(crate) fn copy_symbols(&self, names: &HashSet<u64>, output: &mut dyn Write) -> Result<u64, Failed> {
        let mut window = Window::new(self.file(), NARROW);
        let id = self.ids().bytes() as usize;
        let missing = |missing, offset| match missing {
            Missing::Cut => {
                Failed::Dump(Error::at_offset(self.path(), offset, io::Error::from(io::ErrorKind::UnexpectedEof)))
            }
            Missing::Io(error) => Failed::Dump(Error::at_offset(self.path(), offset, error)),
        };
        window.move_to(0, self.length());
        let head = window.take(self.first_record() as usize).map_err(|reason| missing(reason, 0))?;
        output.write_all(head).map_err(Failed::Output)?;
        let mut left_out = 0;
        while window.remaining() >= 9 {
            let offset = window.position();
            let head: [u8; 9] =
                window.take(9).map_err(|reason| missing(reason, offset))?.try_into().expect("nine bytes");
            let (tag, length) = (head[0], u64::from(u32_at(&head, 5)));
            if length > window.remaining() || (length == 0 && tag == 0x0C) {
                // The dump is cut here: it has warnings.
                break;
            }
            let is_copied = match tag {
                0x01 if length >= id as u64 => {
                    let name = window.peek(id).map_err(|reason| missing(reason, offset))?;
                    let in_use = names.contains(&self.ids().read(name, 0));
                    left_out += u64::from(!in_use);
                    in_use
                }
                0x02 | 0x04 | 0x05 => true,
                _ => false,
            };
            let end = window.position() + length;
            if is_copied {
                output.write_all(&head).map_err(Failed::Output)?;
                let body = window.take(length as usize).map_err(|reason| missing(reason, offset))?;
                output.write_all(body).map_err(Failed::Output)?;
            }
            window.move_to(end, self.length());
        }
        Ok(left_out)
    }
}
