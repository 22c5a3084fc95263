//! Inserting code into methods and constants into the pool, moving only what an insertion moves.
