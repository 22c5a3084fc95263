//! What is injected, and where (docs/probe-contract.md).
