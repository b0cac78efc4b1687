// Lets a process import mutated sources in the place of the real ones, and collected tests in the place of
// node:test. Import it before anything else.

import { readFileSync } from "node:fs";
import { registerHooks } from "node:module";
import process from "node:process";

/** The instrumented sources, by URL: the JSON file that `MUTANTS` names. */
const sources: ReadonlyMap<string, string> = new Map(
	JSON.parse(readFileSync(process.env["MUTANTS"] ?? "", "utf8")),
);

const COLLECTED = new URL("collected-tests.ts", import.meta.url).href;

registerHooks({
	resolve: (specifier, context, next) =>
		specifier === "node:test" ? { url: COLLECTED, shortCircuit: true } : next(specifier, context),
	load(url, context, next) {
		const source = sources.get(url);
		return source === undefined
			? next(url, context)
			: { format: "module-typescript", source, shortCircuit: true };
	},
});
