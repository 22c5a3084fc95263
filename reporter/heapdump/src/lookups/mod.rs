//! Tables that find objects by something else than their number. Each is made when it is first needed.

mod below;
mod instances;
mod records;
mod referrers;
mod values;

pub use below::Below;
pub use instances::Instances;
pub use records::Records;
pub use referrers::Referrers;
pub use values::{FieldValue, Text};
