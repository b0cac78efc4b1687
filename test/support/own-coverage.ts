// Loaded before tests whose coverage is taken: what they start does not write coverage of its own. Node adds
// that up branch by branch, so that a branch which one process did not take would count as never taken.

import process from "node:process";

delete process.env["NODE_V8_COVERAGE"];
