//! Global references of JNI: created and freed, by the stack of the native method that creates them.
//!
//! While a trace wants them, four functions of the table that native code calls are ours (JVMTI `SetJNIFunctionTable`), and call
//! those that were there before. References that the JVM makes for itself do not go through the table.
//!
//! Any thread makes references, that of a debugger too while it has suspended all others. So none of this asks the JVM for
//! anything while it holds `BOOKS` (`locks`). Traces begin and end one after another: the runtime's `TraceRuns` sees to it.

use std::cell::Cell;
use std::collections::HashMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Mutex;
use std::sync::atomic::{AtomicPtr, Ordering};

use jvmti_bindings::prelude::*;

use serde_json::{Map, Value, json};

use super::environment::environment;
use super::stacks::{StackHere, Stacks};
use crate::locks::lock;

/// Live references that one trace follows at once: 9 MB. Those beyond are only counted.
const MOST_LIVE: usize = 400_000;

type Create = unsafe extern "system" fn(*mut jni::JNIEnv, jni::jobject) -> jni::jobject;
type Free = unsafe extern "system" fn(*mut jni::JNIEnv, jni::jobject);

/// The functions that were in the table.
struct Originals {
    create: Create,
    free: Free,
    create_weak: Create,
    free_weak: Free,
}

/// Never freed: a thread may be about to call them.
static ORIGINALS: AtomicPtr<Originals> = AtomicPtr::new(std::ptr::null_mut());
/// For stacks, with line numbers; never disposed of.
static ENVIRONMENT: AtomicPtr<jvmti::jvmtiEnv> = AtomicPtr::new(std::ptr::null_mut());
static BOOKS: Mutex<Vec<Book>> = Mutex::new(Vec::new());

thread_local! {
    /// Inside ours: what the agent itself does is not told.
    static INSIDE: Cell<bool> = const { Cell::new(false) };
}

/// What one trace has seen.
struct Book {
    number: u8,
    frames: jni::jint,
    is_over: bool,
    stacks: Stacks,
    /// By stack.
    rows: Vec<JniReferenceRow>,
    /// The stack of each reference that was not freed.
    live: HashMap<usize, usize>,
    /// References that were there before, or are not followed.
    freed_from_before: u64,
}

#[derive(Default)]
struct JniReferenceRow {
    created: u64,
    weak: u64,
    freed: u64,
    /// Created when [`MOST_LIVE`] others were live: nothing tells when these are freed.
    not_followed: u64,
}

/// A trace begins.
pub(crate) fn watch(jvmti: &Jvmti, jni: &JniEnv, number: u8, frames: jni::jint) -> bool {
    if ENVIRONMENT.load(Ordering::Acquire).is_null() {
        let new = environment(jni, |capabilities| capabilities.set_can_get_line_numbers(true));
        let Some(new) = new else { return false };
        ENVIRONMENT.store(new.raw(), Ordering::Release);
    }
    let is_first = lock(&BOOKS).iter().all(|book| book.is_over);
    if is_first && !install(jvmti) {
        return false;
    }
    lock(&BOOKS).push(Book {
        number,
        frames,
        is_over: false,
        stacks: Stacks::default(),
        rows: Vec::new(),
        live: HashMap::new(),
        freed_from_before: 0,
    });
    true
}

/// A trace has ended; what it has seen stays until [`forget`].
pub(crate) fn end(jvmti: &Jvmti, number: u8) {
    let is_last = {
        let mut books = lock(&BOOKS);
        let Some(book) = books.iter_mut().find(|book| book.number == number && !book.is_over) else { return };
        book.is_over = true;
        books.iter().all(|book| book.is_over)
    };
    if is_last {
        restore(jvmti);
    }
}

/// The session ends: the table is as it was.
pub(crate) fn end_all(jvmti: &Jvmti) {
    let books = std::mem::take(&mut *lock(&BOOKS));
    if books.iter().any(|book| !book.is_over) {
        restore(jvmti);
    }
}

/// Nobody asks for these any more.
pub(super) fn forget(numbers: &[u8]) {
    lock(&BOOKS).retain(|book| !book.is_over || !numbers.contains(&book.number));
}

/// Adds what a trace has seen, or that it could not begin.
pub(super) fn describe(number: u8, trace: &mut Map<String, Value>) {
    let books = lock(&BOOKS);
    let Some(book) = books.iter().rev().find(|book| book.number == number) else {
        trace.insert("refused".to_owned(), "the JVM does not let an agent see JNI's functions".into());
        return;
    };
    let rows = book.rows.iter().zip(&book.stacks.frames).map(|(row, frames)| {
        json!({
            "frames": frames, "created": row.created, "weak": row.weak, "freed": row.freed,
            "live": row.created - row.freed - row.not_followed, "not_followed": row.not_followed,
        })
    });
    trace.insert("events".to_owned(), book.rows.iter().map(|row| row.created + row.freed).sum::<u64>().into());
    trace.insert("references".to_owned(), rows.collect());
    trace.insert("freed_from_before".to_owned(), book.freed_from_before.into());
}

fn install(jvmti: &Jvmti) -> bool {
    let Ok(table) = jvmti.get_jni_function_table() else { return false };
    let table = table.as_ptr().cast_mut();
    // SAFETY: a copy of the table that is ours; the JVM copies what it is given (JVMTI, SetJNIFunctionTable).
    unsafe {
        let originals = Originals {
            create: (*table).NewGlobalRef,
            free: (*table).DeleteGlobalRef,
            create_weak: (*table).NewWeakGlobalRef,
            free_weak: (*table).DeleteWeakGlobalRef,
        };
        ORIGINALS.store(Box::into_raw(Box::new(originals)), Ordering::Release);
        (*table).NewGlobalRef = create;
        (*table).DeleteGlobalRef = free;
        (*table).NewWeakGlobalRef = create_weak;
        (*table).DeleteWeakGlobalRef = free_weak;
        jvmti.set_jni_function_table(table).is_ok()
    }
}

/// Puts the functions back, unless somebody else has replaced ours.
fn restore(jvmti: &Jvmti) {
    let (Ok(table), Some(originals)) = (jvmti.get_jni_function_table(), originals()) else { return };
    let table = table.as_ptr().cast_mut();
    // SAFETY: as in `install`.
    unsafe {
        if (*table).NewGlobalRef as usize == create as Create as usize {
            (*table).NewGlobalRef = originals.create;
        }
        if (*table).DeleteGlobalRef as usize == free as Free as usize {
            (*table).DeleteGlobalRef = originals.free;
        }
        if (*table).NewWeakGlobalRef as usize == create_weak as Create as usize {
            (*table).NewWeakGlobalRef = originals.create_weak;
        }
        if (*table).DeleteWeakGlobalRef as usize == free_weak as Free as usize {
            (*table).DeleteWeakGlobalRef = originals.free_weak;
        }
        let _ = jvmti.set_jni_function_table(table);
    }
}

fn originals() -> Option<&'static Originals> {
    // SAFETY: null, or a box that is never freed.
    unsafe { ORIGINALS.load(Ordering::Acquire).as_ref() }
}

unsafe extern "system" fn create(env: *mut jni::JNIEnv, object: jni::jobject) -> jni::jobject {
    // SAFETY: the caller's arguments.
    originals().map_or(std::ptr::null_mut(), |originals| unsafe {
        let made = (originals.create)(env, object);
        created(env, made, false);
        made
    })
}

unsafe extern "system" fn create_weak(env: *mut jni::JNIEnv, object: jni::jobject) -> jni::jobject {
    // SAFETY: the caller's arguments.
    originals().map_or(std::ptr::null_mut(), |originals| unsafe {
        let made = (originals.create_weak)(env, object);
        created(env, made, true);
        made
    })
}

unsafe extern "system" fn free(env: *mut jni::JNIEnv, reference: jni::jobject) {
    // Before: another thread may be given the same slot right after.
    freed(reference);
    if let Some(originals) = originals() {
        // SAFETY: the caller's arguments.
        unsafe { (originals.free)(env, reference) };
    }
}

unsafe extern "system" fn free_weak(env: *mut jni::JNIEnv, reference: jni::jobject) {
    freed(reference);
    if let Some(originals) = originals() {
        // SAFETY: the caller's arguments.
        unsafe { (originals.free_weak)(env, reference) };
    }
}

/// Runs once at a time on a thread; a panic must not reach native code.
fn run_unless_inside(run: impl FnOnce()) {
    if !INSIDE.replace(true) {
        let _ = catch_unwind(AssertUnwindSafe(run));
        INSIDE.set(false);
    }
}

fn created(env: *mut jni::JNIEnv, reference: jni::jobject, is_weak: bool) {
    if reference.is_null() {
        return;
    }
    run_unless_inside(|| {
        let environment = ENVIRONMENT.load(Ordering::Acquire);
        if environment.is_null() {
            return;
        }
        // SAFETY: it is never disposed of.
        let jvmti = unsafe { Jvmti::from_raw(environment) };
        let deepest = lock(&BOOKS).iter().filter(|book| !book.is_over).map(|book| book.frames).max();
        let Some(deepest) = deepest else { return };
        let mut stack = StackHere::take(&jvmti, deepest);
        let is_known = |book: &Book| book.is_over || book.stacks.find(&stack, book.frames).is_some();
        let all_know = lock(&BOOKS).iter().all(is_known);
        if !all_know {
            stack.name_frames(&jvmti, env);
        }
        for book in lock(&BOOKS).iter_mut().filter(|book| !book.is_over && book.frames <= deepest) {
            // None of a trace that has begun since.
            let Some(site) = book.stacks.find_or_add(&stack, book.frames) else { continue };
            if site >= book.rows.len() {
                book.rows.resize_with(site + 1, JniReferenceRow::default);
            }
            book.rows[site].created += 1;
            book.rows[site].weak += u64::from(is_weak);
            if book.live.len() < MOST_LIVE {
                book.live.insert(reference as usize, site);
            } else {
                book.rows[site].not_followed += 1;
            }
        }
    });
}

fn freed(reference: jni::jobject) {
    if reference.is_null() {
        return;
    }
    run_unless_inside(|| {
        for book in lock(&BOOKS).iter_mut().filter(|book| !book.is_over) {
            match book.live.remove(&(reference as usize)) {
                Some(site) => book.rows[site].freed += 1,
                None => book.freed_from_before += 1,
            }
        }
    });
}
