#!/usr/bin/env node
// Starts the profiler from an installed copy: Node strips no types under node_modules, so pi's own loader
// does it. Loads nothing before it knows that this Node can run it.

const { node } = process.versions;
const [major = 0, minor = 0] = node.split(".").map(Number);
if (major < 22 || (major === 22 && minor < 18)) {
	process.stderr.write(`pi-dmail needs Node 22.18 or newer; this is ${node}\n`);
	process.exitCode = 1;
} else {
	const { createJiti } = await import("jiti");
	await createJiti(import.meta.url).import("../profile.ts");
}
