//! The keys that the view knows, and what the caller has to do after one.

/// Rows of a page key.
pub(crate) const PAGE: usize = 10;

/// A key that the model knows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KeyPress {
    /// A letter, digit, space or sign.
    Char(char),
    /// Arrow up.
    Up,
    /// Arrow down.
    Down,
    /// Arrow left.
    Left,
    /// Arrow right.
    Right,
    /// Page up.
    PageUp,
    /// Page down.
    PageDown,
    /// Home.
    Home,
    /// End.
    End,
    /// Tab.
    Tab,
    /// Shift and Tab.
    BackTab,
    /// Enter.
    Enter,
    /// Escape.
    Escape,
    /// Backspace.
    Backspace,
    /// Ctrl-C.
    Interrupt,
}

/// The effect of a key on the view.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reaction {
    /// Continue.
    Stay,
    /// End the view.
    Quit,
    /// Examine the process, and let the person read what was found.
    Examine,
    /// Take a heap dump of the process, and give [`crate::Model::dumped`] what it tells.
    Dump,
}
