//! The live view in a terminal, for `watch` and `attach`: reads keys from the terminal, draws frames, and restores the terminal at the end.

mod dumping;

use std::io;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use anyhow::Context;
use ratatui::DefaultTerminal;
use ratatui::crossterm::event::{self, Event, KeyCode, KeyEvent, KeyEventKind, KeyModifiers};
use weighbridge_ending::Failure;
use weighbridge_ending::signals::{BeforeTheEnd, Signals};
use weighbridge_live::recordings::RecordingSource;
use weighbridge_recording::ReadLimits;
use weighbridge_watch::{KeyPress, Model, Reaction, WatchColumn, WatchTable, draw};

use dumping::Dumping;

/// The longest time that reading may delay the keys.
const PATIENCE: Duration = Duration::from_millis(100);

/// Time between two checks of signals and of the clock in the title.
const LOOK: Duration = Duration::from_millis(250);

/// Shows a recording of a process that grows, until a key or a signal ends it.
pub(crate) fn show(file: &Path, pid: u32, title: &str) -> Result<(), Failure> {
    let mut source = RecordingSource::find(&file.to_string_lossy(), None, ReadLimits::default())?;
    let model = Model::new(title).with_table(WatchTable::Components, WatchColumn::Bytes, "").of_process(Some(pid));
    run(model, &mut source, Duration::from_secs(1))
}

/// Shows the model until a key or a signal ends it. Restores the terminal even after an error or a panic.
pub(crate) fn run(mut model: Model, source: &mut RecordingSource, interval: Duration) -> Result<(), Failure> {
    let model = &mut model;
    let signals = Signals::catch()?;
    let mut dumping = Dumping::default();
    end_with_the_terminal(dumping.before_the_end());
    // Errors of the file are shown before the terminal is taken over.
    let mut more = source.read(model, PATIENCE)?;
    let mut terminal = ratatui::try_init().context("the terminal")?;
    let _restored = Restored;
    let mut next = Instant::now() + interval;
    while !signals.came() {
        draw_screen(&mut terminal, model).context("the terminal")?;
        let wait = if more { Duration::ZERO } else { LOOK.min(next.saturating_duration_since(Instant::now())) };
        match key(model, wait).context("the terminal")? {
            Reaction::Quit => return Ok(()),
            Reaction::Dump => model.process().into_iter().for_each(|pid| dumping.begin(pid)),
            Reaction::Examine => {
                if let Some(pid) = model.process() {
                    examine(&mut terminal, pid)?;
                }
            }
            Reaction::Stay => {}
        }
        dumping.poll_figures(model);
        if more || Instant::now() >= next {
            more = source.read(model, PATIENCE)?;
            next = Instant::now() + interval;
        }
    }
    Ok(())
}

/// Leaves the terminal to the verb that a person would use, until its result was read.
fn examine(terminal: &mut DefaultTerminal, pid: u32) -> Result<(), Failure> {
    ratatui::restore();
    let program = std::env::current_exe().context("this program")?;
    let ended = Command::new(program).args(["doctor", &pid.to_string()]).status();
    eprintln!("{}", ended.map_or_else(|error| error.to_string(), |_| String::new()));
    eprint!("Enter goes back to the live view. ");
    let mut line = String::new();
    io::stdin().read_line(&mut line).context("the terminal")?;
    *terminal = ratatui::try_init().context("the terminal")?;
    Ok(())
}

fn draw_screen(terminal: &mut DefaultTerminal, model: &Model) -> io::Result<()> {
    terminal.draw(|frame| draw(model, now_ms(), frame.area(), frame.buffer_mut())).map(|_| ())
}

/// The time of day, milliseconds since the Unix epoch.
pub(crate) fn now_ms() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |elapsed| elapsed.as_millis() as u64)
}

/// Waits for a key and gives it to the model.
fn key(model: &mut Model, wait: Duration) -> io::Result<Reaction> {
    if !event::poll(wait)? {
        return Ok(Reaction::Stay);
    }
    match event::read()? {
        Event::Key(event) if event.kind != KeyEventKind::Release => {
            Ok(key_from_event(event).map_or(Reaction::Stay, |key| model.key(key)))
        }
        _ => Ok(Reaction::Stay),
    }
}

fn key_from_event(event: KeyEvent) -> Option<KeyPress> {
    let held = event.modifiers.intersects(KeyModifiers::CONTROL | KeyModifiers::ALT);
    Some(match event.code {
        KeyCode::Char('c') if event.modifiers.contains(KeyModifiers::CONTROL) => KeyPress::Interrupt,
        KeyCode::Char(c) if !held => KeyPress::Char(c),
        KeyCode::Up => KeyPress::Up,
        KeyCode::Down => KeyPress::Down,
        KeyCode::Left => KeyPress::Left,
        KeyCode::Right => KeyPress::Right,
        KeyCode::PageUp => KeyPress::PageUp,
        KeyCode::PageDown => KeyPress::PageDown,
        KeyCode::Home => KeyPress::Home,
        KeyCode::End => KeyPress::End,
        KeyCode::Tab => KeyPress::Tab,
        KeyCode::BackTab => KeyPress::BackTab,
        KeyCode::Enter => KeyPress::Enter,
        KeyCode::Esc => KeyPress::Escape,
        KeyCode::Backspace => KeyPress::Backspace,
        _ => return None,
    })
}

/// Ends the process when the terminal is gone: `event::poll` would then never return.
#[cfg(unix)]
fn end_with_the_terminal(before_the_end: BeforeTheEnd) {
    use rustix::event::{PollFd, PollFlags, poll};
    use std::io::IsTerminal;
    std::thread::spawn(move || {
        // The same input that `event::poll` reads.
        let input: std::os::fd::OwnedFd = match io::stdin().is_terminal() {
            true => rustix::io::dup(io::stdin())?,
            false => std::fs::File::open("/dev/tty")?.into(),
        };
        loop {
            // Without flags, only a hang-up or an error is reported.
            let mut asked = [PollFd::new(&input, PollFlags::empty())];
            match poll(&mut asked, None) {
                Ok(_) if asked[0].revents().intersects(PollFlags::HUP) => {
                    before_the_end.act_for_good();
                    std::process::exit(i32::from(crate::exit::DONE))
                }
                Err(rustix::io::Errno::INTR) => {}
                // This system cannot poll terminals.
                ended => return ended.map(|_| ()).map_err(io::Error::from),
            }
        }
    });
}

#[cfg(not(unix))]
fn end_with_the_terminal(_: BeforeTheEnd) {}

/// Restores the terminal when dropped.
struct Restored;

impl Drop for Restored {
    fn drop(&mut self) {
        ratatui::restore();
    }
}
