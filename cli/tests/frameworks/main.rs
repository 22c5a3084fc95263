//! The shipped rules of frameworks on the real libraries: an old version on the oldest Java, a new one on the newest.

mod by_hand;
mod known;
mod program;
