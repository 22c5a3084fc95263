#!/usr/bin/env node
// Starts the binary of the platform's package, which npm has installed beside this one.
"use strict";
const { spawn } = require("node:child_process");

const name = `@weighbridge/${process.platform}-${process.arch}`;
let binary;
try {
  binary = require.resolve(`${name}/bin/weighbridge`);
} catch {
  console.error(
    `weighbridge: error: the package ${name} is not installed. There is none for machines other than Linux with ` +
      "x64 or arm64; elsewhere npm was told to leave out optional dependencies.",
  );
  process.exit(3);
}
const child = spawn(binary, process.argv.slice(2), { stdio: "inherit" });
// A terminal sends these to both. It is for the binary to say when it ends.
for (const signal of ["SIGINT", "SIGQUIT"]) process.on(signal, () => {});
for (const signal of ["SIGTERM", "SIGHUP"]) process.on(signal, () => child.kill(signal));
child.on("error", (error) => {
  console.error(`weighbridge: error: ${binary}: ${error.message}`);
  process.exit(3);
});
child.on("exit", (code, signal) => {
  if (signal === null) process.exit(code);
  process.removeAllListeners(signal);
  process.kill(process.pid, signal);
});
