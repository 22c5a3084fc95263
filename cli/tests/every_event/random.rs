//! Random Java programs that know which of their objects can be reached after each step.

use std::collections::BTreeSet;
use std::fmt::Write;

use weighbridge_oracles::Random;

/// Static fields of the class `Heap`.
const STATICS: usize = 3;
/// Elements of an array.
const ELEMENTS: usize = 4;
const DEEPEST: usize = 3;

/// What an object is; all have references.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// `left` and `right`.
    Node,
    Array,
    /// An exception with `held`.
    Gone,
    /// Holds what it captures.
    Lambda,
    /// Refers to nothing that it keeps alive.
    Weak,
}

/// The program while it is written: it runs as it is written.
#[derive(Debug)]
pub struct Program {
    /// Its methods.
    pub methods: Vec<String>,
    /// For each object, in the order in which they are made: the first step after which it lives no more.
    pub deaths: Vec<Option<usize>>,
    /// How many steps there are.
    pub steps: usize,
    objects: Vec<(Kind, Vec<Option<usize>>)>,
    statics: [Option<usize>; STATICS],
    frames: Vec<Frame>,
    name: String,
}

/// A method that runs.
#[derive(Debug, Default)]
struct Frame {
    text: String,
    /// What each slot holds, also after the block of its variable.
    slots: Vec<Option<usize>>,
    /// The variables in scope, with their slots; none for a number.
    variables: Vec<(String, usize)>,
    named: usize,
}

impl Program {
    /// The program of a seed; its first method has this name.
    pub fn of(seed: u64, name: &str) -> Self {
        let mut program = Program {
            methods: Vec::new(),
            deaths: Vec::new(),
            steps: 0,
            objects: Vec::new(),
            statics: [None; STATICS],
            frames: Vec::new(),
            name: name.to_owned(),
        };
        let mut random = Random::new(seed);
        let length = 8 + random.below(20);
        let _ = program.method(name, &[], length, &mut random);
        program.statics = [None; STATICS];
        program.step();
        program
    }

    /// Writes a method and runs it; gives what it returns, if it does.
    fn method(
        &mut self,
        name: &str,
        arguments: &[Option<usize>],
        length: usize,
        random: &mut Random,
    ) -> Result<Option<usize>, usize> {
        let mut frame = Frame { slots: arguments.to_vec(), ..Frame::default() };
        for at in 0..arguments.len() {
            frame.variables.push((format!("a{at}"), at));
        }
        self.frames.push(frame);
        for _ in 0..length {
            self.operation(random);
        }
        let deep = self.frames.len() > 1;
        let thrown = (deep && random.below(3) == 0).then(|| self.variable(random));
        let (end, result) = match thrown {
            Some((text, held)) => {
                let gone = self.make(Kind::Gone, vec![held]);
                (format!("throw new Gone({text});"), Err(gone))
            }
            None => {
                let (text, value) = self.variable(random);
                (format!("return {text};"), Ok(value))
            }
        };
        let frame = self.frames.pop().expect("the frame");
        let parameters: Vec<String> = (0..arguments.len()).map(|at| format!("Object a{at}")).collect();
        let text = frame.text;
        self.methods.push(format!("  static Object {name}({}) {{\n{text}    {end}\n  }}\n", parameters.join(", ")));
        result
    }

    fn frame(&mut self) -> &mut Frame {
        self.frames.last_mut().expect("a method runs")
    }

    fn write(&mut self, line: std::fmt::Arguments<'_>) {
        let frame = self.frame();
        frame.text.push_str("    ");
        frame.text.write_fmt(line).expect("a text");
        frame.text.push('\n');
    }

    /// A step ends: what lives is known.
    fn step(&mut self) {
        let reachable = self.reachable();
        for (object, death) in self.deaths.iter_mut().enumerate() {
            if death.is_none() && !reachable.contains(&object) {
                *death = Some(self.steps);
            }
        }
        self.steps += 1;
        if !self.frames.is_empty() {
            self.write(format_args!("Heap.step();"));
        }
    }

    fn reachable(&self) -> BTreeSet<usize> {
        let locals = self.frames.iter().flat_map(|frame| frame.slots.iter());
        let mut open: Vec<usize> = self.statics.iter().chain(locals).copied().flatten().collect();
        let mut found = BTreeSet::new();
        while let Some(object) = open.pop() {
            if found.insert(object) && self.objects[object].0 != Kind::Weak {
                open.extend(self.objects[object].1.iter().copied().flatten());
            }
        }
        found
    }

    fn make(&mut self, kind: Kind, holds: Vec<Option<usize>>) -> usize {
        self.objects.push((kind, holds));
        self.deaths.push(None);
        self.objects.len() - 1
    }

    /// Some variable or `null`, and its value.
    fn variable(&mut self, random: &mut Random) -> (String, Option<usize>) {
        let frame = self.frames.last().expect("a method runs");
        let objects: Vec<&(String, usize)> =
            frame.variables.iter().filter(|(name, _)| !name.starts_with('n')).collect();
        if objects.is_empty() || random.below(8) == 0 {
            return ("null".to_owned(), None);
        }
        let (name, slot) = objects[random.below(objects.len())];
        (name.clone(), frame.slots[*slot])
    }

    /// A variable with an object of a kind.
    fn object(&mut self, kind: Kind, random: &mut Random) -> Option<(String, usize)> {
        (0..6).find_map(|_| {
            let (name, value) = self.variable(random);
            Some((name, value.filter(|object| self.objects[*object].0 == kind)?))
        })
    }

    /// The expression goes into a new variable, or into one that is there.
    fn assign(&mut self, expression: &str, value: Option<usize>, random: &mut Random) {
        let frame = self.frame();
        let known: Vec<(String, usize)> =
            frame.variables.iter().filter(|(name, _)| !name.starts_with('n')).cloned().collect();
        if !known.is_empty() && random.below(2) == 0 {
            let (name, slot) = &known[random.below(known.len())];
            frame.slots[*slot] = value;
            self.write(format_args!("{name} = {expression};"));
        } else {
            let name = self.declare("v", value);
            self.write(format_args!("Object {name} = {expression};"));
        }
    }

    /// A new variable gets the next slot, as javac gives them.
    fn declare(&mut self, prefix: &str, value: Option<usize>) -> String {
        let frame = self.frame();
        let slot = frame.variables.len();
        if slot == frame.slots.len() {
            frame.slots.push(None);
        }
        frame.slots[slot] = value;
        frame.named += 1;
        let name = format!("{prefix}{}", frame.named);
        frame.variables.push((name.clone(), slot));
        name
    }

    fn operation(&mut self, random: &mut Random) {
        match random.below(18) {
            0..=2 => {
                let node = self.make(Kind::Node, vec![None; 2]);
                self.assign("new Node()", Some(node), random);
            }
            3 => {
                let array = self.make(Kind::Array, vec![None; ELEMENTS]);
                self.assign(&format!("new Object[{ELEMENTS}]"), Some(array), random);
            }
            4 => {
                let outer = self.make(Kind::Array, vec![None; ELEMENTS]);
                for at in 0..ELEMENTS {
                    let inner = self.make(Kind::Array, vec![None; ELEMENTS]);
                    self.objects[outer].1[at] = Some(inner);
                }
                // Its elements are arrays alone: nothing else is ever stored in them.
                self.objects[outer].0 = Kind::Lambda;
                self.assign(&format!("new Object[{ELEMENTS}][{ELEMENTS}]"), Some(outer), random);
            }
            5 | 6 => {
                let Some((holder, object)) = self.object(Kind::Node, random) else { return };
                let ((value, held), field) = (self.variable(random), random.below(2));
                self.objects[object].1[field] = held;
                let name = ["left", "right"][field];
                match random.below(3) {
                    0 => self.write(format_args!(
                        "Heap.{}.setVolatile((Node) {holder}, (Object) {value});",
                        name.to_uppercase()
                    )),
                    _ => self.write(format_args!("((Node) {holder}).{name} = {value};")),
                }
            }
            7 => {
                let Some((holder, object)) = self.object(Kind::Array, random) else { return };
                let ((value, held), at) = (self.variable(random), random.below(ELEMENTS));
                self.objects[object].1[at] = held;
                self.write(format_args!("((Object[]) {holder})[{at}] = {value};"));
            }
            8 => {
                let Some((holder, object)) = self.object(Kind::Node, random) else { return };
                let field = random.below(2);
                let value = self.objects[object].1[field];
                self.assign(&format!("((Node) {holder}).{}", ["left", "right"][field]), value, random);
            }
            9 => {
                let Some((holder, object)) = self.object(Kind::Array, random) else { return };
                let at = random.below(ELEMENTS);
                let value = self.objects[object].1[at];
                self.assign(&format!("((Object[]) {holder})[{at}]"), value, random);
            }
            10 => {
                let ((value, held), field) = (self.variable(random), random.below(STATICS));
                self.statics[field] = held;
                self.write(format_args!("Heap.s{field} = {value};"));
            }
            11 => {
                let field = random.below(STATICS);
                let value = self.statics[field];
                self.assign(&format!("Heap.s{field}"), value, random);
            }
            12 => match random.below(3) {
                0 => self.assign("null", None, random),
                1 => {
                    let name = self.declare("n", None);
                    self.write(format_args!("int {name} = {};", random.below(100)));
                }
                _ => {
                    let (value, held) = self.variable(random);
                    let weak = self.make(Kind::Weak, vec![held]);
                    self.assign(&format!("new java.lang.ref.WeakReference<Object>({value})"), Some(weak), random);
                }
            },
            13 => {
                let variables = self.frame().variables.len();
                self.write(format_args!("{{"));
                for _ in 0..1 + random.below(3) {
                    self.operation(random);
                }
                self.frame().variables.truncate(variables);
                self.write(format_args!("}}"));
                return;
            }
            14 => self.call(random),
            15 => {
                let (Some((from, source)), Some((to, target))) =
                    (self.object(Kind::Array, random), self.object(Kind::Array, random))
                else {
                    return;
                };
                let (first, second) = (random.below(ELEMENTS), random.below(ELEMENTS));
                let count = random.below(ELEMENTS - first.max(second) + 1);
                let copied: Vec<_> = self.objects[source].1[first..first + count].to_vec();
                self.objects[target].1[second..second + count].copy_from_slice(&copied);
                self.write(format_args!("System.arraycopy({from}, {first}, {to}, {second}, {count});"));
            }
            16 => {
                let Some((holder, object)) = self.object(Kind::Array, random) else { return };
                let copy = self.make(Kind::Array, self.objects[object].1.clone());
                self.assign(&format!("((Object[]) {holder}).clone()"), Some(copy), random);
            }
            _ => {
                let (value, held) = self.variable(random);
                let lambda = self.make(Kind::Lambda, vec![held]);
                self.assign(&format!("hold({value})"), Some(lambda), random);
            }
        }
        self.step();
    }

    /// Calls a method that is written now, and may throw.
    fn call(&mut self, random: &mut Random) {
        if self.frames.len() > DEEPEST {
            return;
        }
        let arguments: Vec<(String, Option<usize>)> = (0..random.below(3)).map(|_| self.variable(random)).collect();
        let values: Vec<Option<usize>> = arguments.iter().map(|(_, value)| *value).collect();
        let name = format!("{}_{}", self.name, self.methods.len() * 10 + self.frames.len());
        let length = random.below(6);
        let result = self.method(&name, &values, length, random);
        let words: Vec<String> = arguments.into_iter().map(|(text, _)| text).collect();
        let call = format!("{name}({})", words.join(", "));
        match result {
            Ok(value) if random.below(2) == 0 => self.assign(&call, value, random),
            Ok(_) => self.write(format_args!("{call};")),
            Err(gone) => {
                let variables = self.frame().variables.len();
                let caught = self.declare("v", Some(gone));
                self.write(format_args!("try {{ {call}; }} catch (Gone {caught}) {{"));
                self.step();
                if random.below(2) == 0 {
                    let held = self.objects[gone].1[0];
                    let known =
                        self.frame().variables[..variables].iter().find(|(name, _)| !name.starts_with('n')).cloned();
                    if let Some((name, slot)) = known {
                        self.frame().slots[slot] = held;
                        self.write(format_args!("{name} = {caught}.held;"));
                    }
                }
                self.frame().variables.truncate(variables);
                self.write(format_args!("}}"));
            }
        }
    }
}
