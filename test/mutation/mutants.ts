// The mutants of source files, all of them behind switches in one instrumented source per file, by Stryker's
// instrumenter. Runs nothing.

import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { createInstrumenter } from "@stryker-mutator/instrumenter";
import { createInjector } from "typed-inject";

/** One change of one place. */
export interface Mutant {
	readonly id: string;
	/** file:line:column of the source as it stands, from 1 */
	readonly place: string;
	/** what kind of change it is, in Stryker's words */
	readonly kind: string;
	/** what stands there instead */
	readonly replacement: string;
}

/** Files with all their mutants. */
interface Mutated {
	/** instrumented sources by URL */
	readonly sources: readonly (readonly [string, string])[];
	readonly mutants: readonly Mutant[];
}

/** Makes all mutants of files. Their numbers are the same as long as the files are. */
export async function mutate(files: readonly string[]): Promise<Mutated> {
	const instrumenter = createInjector()
		.provideValue("logger", SILENT)
		.injectFunction(createInstrumenter);
	const read = files.map((name) => ({ name, content: readFileSync(name, "utf8"), mutate: true }));
	const result = await instrumenter.instrument(read, {
		ignorers: [],
		excludedMutations: [],
		plugins: null,
	});
	return {
		sources: result.files.map(({ name, content }) => [pathToFileURL(name).href, content]),
		mutants: result.mutants.map(({ id, fileName, location, mutatorName, replacement }) => ({
			id,
			place: `${fileName}:${location.start.line + 1}:${location.start.column + 1}`,
			kind: mutatorName,
			replacement,
		})),
	};
}

const nothing = () => {};
const never = () => false;
const SILENT = {
	trace: nothing,
	debug: nothing,
	info: nothing,
	warn: nothing,
	error: nothing,
	fatal: nothing,
	isTraceEnabled: never,
	isDebugEnabled: never,
	isInfoEnabled: never,
	isWarnEnabled: never,
	isErrorEnabled: never,
	isFatalEnabled: never,
};
