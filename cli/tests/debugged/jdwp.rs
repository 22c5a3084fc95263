//! As much of a debugger as suspends threads (Java Debug Wire Protocol, JDK 17).

use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::Duration;

/// What only hangs would take longer than.
const PATIENCE: Duration = Duration::from_secs(60);

const HANDSHAKE: &[u8; 14] = b"JDWP-Handshake";
/// Length, number, flags; then two bytes: command set and command, or an error.
const HEADER: usize = 11;
const REPLY: u8 = 0x80;
/// A thread has ended meanwhile.
const INVALID_THREAD: u16 = 10;
const INVALID_OBJECT: u16 = 20;
/// HotSpot's ids of objects.
const ID_BYTES: usize = 8;

/// Command sets and commands.
const ALL_THREADS: (u8, u8) = (1, 4);
const DISPOSE: (u8, u8) = (1, 6);
const SUSPEND_ALL: (u8, u8) = (1, 8);
const RESUME_ALL: (u8, u8) = (1, 9);
const SUSPEND_THREAD: (u8, u8) = (11, 2);
const RESUME_THREAD: (u8, u8) = (11, 3);

/// A debugger.
pub struct Debugger {
    stream: TcpStream,
    last: u32,
}

impl Debugger {
    pub fn connect(port: &str) -> Debugger {
        let port: u16 = port.parse().expect("a port");
        let mut stream = TcpStream::connect(("127.0.0.1", port)).expect("a JVM that listens");
        stream.set_read_timeout(Some(PATIENCE)).expect("a timeout");
        stream.set_nodelay(true).expect("an option");
        stream.write_all(HANDSHAKE).expect("a connection");
        let mut answer = [0; 14];
        stream.read_exact(&mut answer).expect("an answer");
        assert_eq!(&answer, HANDSHAKE);
        Debugger { stream, last: 0 }
    }

    pub fn suspend_all(&mut self) {
        self.run_command(SUSPEND_ALL, &[]);
    }

    pub fn resume_all(&mut self) {
        self.run_command(RESUME_ALL, &[]);
    }

    /// The ids of all threads. The JVM makes a global reference for each that it has not told before.
    pub fn list_threads(&mut self) -> Vec<[u8; ID_BYTES]> {
        let answer = self.run_command(ALL_THREADS, &[]).expect("threads");
        answer[4..].chunks_exact(ID_BYTES).map(|id| id.try_into().expect("an id")).collect()
    }

    /// False if it has ended.
    pub fn suspend_thread(&mut self, id: [u8; ID_BYTES]) -> bool {
        self.run_command(SUSPEND_THREAD, &id).is_some()
    }

    pub fn resume_thread(&mut self, id: [u8; ID_BYTES]) {
        self.run_command(RESUME_THREAD, &id);
    }

    /// Goes; the JVM resumes what it has suspended.
    pub fn dispose(mut self) {
        self.run_command(DISPOSE, &[]);
    }

    /// The answer; `None` if it is about a thread that has ended.
    fn run_command(&mut self, (set, command): (u8, u8), data: &[u8]) -> Option<Vec<u8>> {
        self.last += 1;
        let length = (HEADER + data.len()) as u32;
        let mut packet = [length.to_be_bytes(), self.last.to_be_bytes()].concat();
        packet.extend([0, set, command]);
        packet.extend(data);
        self.stream.write_all(&packet).expect("a JVM that reads");
        loop {
            let mut header = [0; HEADER];
            let read = self.stream.read_exact(&mut header);
            read.unwrap_or_else(|error| panic!("no answer to command {set}.{command}: {error}"));
            let number = |from: usize| u32::from_be_bytes(header[from..from + 4].try_into().expect("four bytes"));
            let mut body = vec![0; number(0) as usize - HEADER];
            self.stream.read_exact(&mut body).expect("a whole packet");
            // Between the answers there are events.
            if header[8] == REPLY && number(4) == self.last {
                return match u16::from_be_bytes([header[9], header[10]]) {
                    0 => Some(body),
                    INVALID_THREAD | INVALID_OBJECT => None,
                    error => panic!("command {set}.{command}: error {error}"),
                };
            }
        }
    }
}
