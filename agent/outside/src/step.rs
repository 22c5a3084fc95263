//! Where another process may act between two calls of the system: in tests it does, at a chosen one.

/// Calls that are let go by before the other process acts, and what it does.
#[cfg(test)]
type Act = (usize, Box<dyn FnOnce()>);

#[cfg(test)]
thread_local! {
    static NEXT: std::cell::RefCell<Option<Act>> = const { std::cell::RefCell::new(None) };
}

/// Comes before each call of the system that takes a name.
#[cfg(not(test))]
pub(crate) fn step() {}

/// Comes before each call of the system that takes a name, and acts if it is the chosen one.
#[cfg(test)]
pub(crate) fn step() {
    let act = NEXT.with_borrow_mut(|next| match next.take() {
        Some((0, act)) => Some(act),
        Some((left, act)) => {
            *next = Some((left - 1, act));
            None
        }
        None => None,
    });
    // Outside of the borrow: it may step itself.
    act.into_iter().for_each(|act| act());
}

/// Lets `act` happen before the call with this number, counted from 0, of this thread.
#[cfg(test)]
pub(crate) fn act_at_step(number: usize, act: impl FnOnce() + 'static) {
    NEXT.set(Some((number, Box::new(act))));
}

/// Whether it has not come to the chosen call; forgets it.
#[cfg(test)]
pub(crate) fn forget_step() -> bool {
    NEXT.take().is_some()
}
