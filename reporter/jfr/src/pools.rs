//! The pools of constants of a chunk: where each of them is.

use crate::body::{Body, ConstantOffsets};
use crate::error::Found;
use crate::value;

/// Reads all pools: from the last one, each names the one before.
pub(crate) fn read(body: &Body) -> Found<ConstantOffsets> {
    let mut offsets = ConstantOffsets::default();
    let mut next = Some(body.header.pools as usize);
    while let Some(at) = next {
        let before = one(body, at, &mut offsets)?;
        // Each is before the one that names it, so that this ends.
        next = (before < 0).then(|| at.checked_add_signed(before as isize)).flatten();
    }
    Ok(offsets)
}

/// Reads the pools of one event; gives the bytes to the event before, or 0.
fn one(body: &Body, at: usize, offsets: &mut ConstantOffsets) -> Found<i64> {
    let mut cursor = body.cursor(at);
    let flaw = cursor.flaw("there are no constants where the chunk says");
    cursor.int()?;
    if cursor.long()? != 1 {
        return Err(flaw);
    }
    // When it was written, and how long that took.
    cursor.long()?;
    cursor.long()?;
    let before = cursor.long()?;
    // The kind of the event.
    cursor.byte()?;
    for _ in 0..cursor.count()? {
        let unknown = cursor.flaw("constants of a type that the chunk does not describe");
        let of = body.types.get(cursor.long()?).ok_or(unknown)?;
        for _ in 0..cursor.count()? {
            let key = cursor.long()?;
            offsets.entry((of, key)).or_insert(cursor.at);
            value::skip(body, &mut cursor, of, 0)?;
        }
    }
    Ok(before)
}
