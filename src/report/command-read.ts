// `profile read <session> ID`: the source of a fold, as stored.

import type { FoldSource } from "../session/source.ts";
import { pageOf } from "../session/source-page.ts";
import { chooseFold, chooseRecovery, forPaper, tellDoubt } from "./choose-fold.ts";
import { type Io, OK, readArguments, readNumber, refuseUsage, UNREADABLE } from "./io.ts";
import { plural } from "./number.ts";
import { printable } from "./printable.ts";

const OPTIONS = {
	offset: { type: "string" },
	limit: { type: "string" },
	json: { type: "boolean" },
	force: { type: "boolean" },
} as const;

/** What part is wanted, in UTF-16 units; all of it where both are absent. */
interface Part {
	readonly offset?: number | undefined;
	readonly limit?: number | undefined;
}

/** Prints the source of the fold that the arguments name, once its digest holds. */
export async function readCommand(args: readonly string[], io: Io): Promise<number> {
	const parsed = readArguments("read", args, OPTIONS);
	if (typeof parsed === "string") return refuseUsage(io, parsed);
	const { values, positionals } = parsed;
	const [session, id, ...others] = positionals;
	if (session === undefined || id === undefined || others.length > 0)
		return refuseUsage(
			io,
			`read: name a session and a fold, not ${plural(positionals.length, "thing", "things")}`,
		);
	const part = readPart(values);
	if (typeof part === "string") return refuseUsage(io, part);
	const recovery = await chooseRecovery(session, io);
	if ("code" in recovery) return recovery.code;
	const choice = chooseFold(recovery.found.folds, id, io);
	if ("code" in choice) return choice.code;
	const fold = choice.found;
	const source = fold.read(values.force);
	if (!source.ok) {
		const name = printable(fold.record.id);
		io.err(
			`${io.name}: fold ${name} is ${printable(source.reason)}; --force prints it all the same\n`,
		);
		return UNREADABLE;
	}
	tellDoubt(fold, io);
	if (values.json) await writeJson(fold.record.id, source, part, io);
	else writeText(source, part, io);
	return OK;
}

function readPart(values: { offset?: string; limit?: string }): Part | string {
	const offset = values.offset === undefined ? undefined : readNumber("offset", values.offset, 0);
	const limit = values.limit === undefined ? undefined : readNumber("limit", values.limit, 1);
	if (typeof offset === "string") return offset;
	return typeof limit === "string" ? limit : { offset, limit };
}

function pageFor(source: FoldSource, { offset = 0, limit = Number.POSITIVE_INFINITY }: Part) {
	return pageOf(source, offset, limit);
}

/** What is not the original says so in the output itself, wherever it goes. */
function writeText(source: FoldSource, part: Part, io: Io): void {
	if (source.problem !== undefined) io.out(`[NOT THE ORIGINAL: ${printable(source.problem)}]\n`);
	const { text, offset, total } = pageFor(source, part);
	io.out(forPaper(text, io));
	if (part.offset === undefined || offset < total) return;
	io.err(`${io.name}: --offset ${part.offset} is beyond the end: there are ${total} characters\n`);
}

async function writeJson(id: string, source: FoldSource, part: Part, io: Io): Promise<void> {
	const { jsonText } = await import("./json.ts");
	const { verified, problem = null, entries } = source;
	const isPart = part.offset !== undefined || part.limit !== undefined;
	const { text, offset, next, total } = pageFor(source, part);
	const given = isPart ? { offset, next, total, text } : { entries };
	io.out(`${jsonText({ id, verified, problem, ...given }, 1)}\n`);
}
