// `profile paste <session> ID FILE`: the source of a fold into a new file. Writes that file and nothing else;
// one that exists already, a link too, stays as it is.

import { writeFileSync } from "node:fs";
import { resolve, sep } from "node:path";
import { chooseFold, chooseRecovery, tellDoubt } from "./choose-fold.ts";
import { type Io, OK, readArguments, refuseUsage, UNREADABLE } from "./io.ts";
import { plural } from "./number.ts";
import { printable } from "./printable.ts";

/** Writes the source of the fold that the arguments name, once its digest holds. */
export async function pasteCommand(args: readonly string[], io: Io): Promise<number> {
	const parsed = readArguments("paste", args, {});
	if (typeof parsed === "string") return refuseUsage(io, parsed);
	const { positionals } = parsed;
	const [session, id, file, ...others] = positionals;
	if (session === undefined || id === undefined || file === undefined || others.length > 0)
		return refuseUsage(
			io,
			`paste: name a session, a fold and a new file, not ${plural(positionals.length, "thing", "things")}`,
		);
	if (namesNoFile(file))
		return refuseUsage(io, `paste: "${printable(file)}" names no file; name a new file`);
	const recovery = await chooseRecovery(session, io);
	if ("code" in recovery) return recovery.code;
	const choice = chooseFold(recovery.found.folds, id, io);
	if ("code" in choice) return choice.code;
	const source = choice.found.read();
	if (!source.ok) {
		io.err(
			`${io.name}: fold ${printable(choice.found.record.id)} is ${printable(source.reason)}\n`,
		);
		return UNREADABLE;
	}
	tellDoubt(choice.found, io);
	const refusal = writeNew(resolve(io.cwd, file), source.text);
	if (refusal === undefined) return OK;
	io.err(`${io.name}: ${printable(file)}: ${refusal}\n`);
	return UNREADABLE;
}

/** Whether a path can only be a directory's: nothing stands behind its last separator, or dots do. */
function namesNoFile(path: string): boolean {
	const last = path.split(sep === "/" ? "/" : /[\\/]/).at(-1) ?? "";
	return ["", ".", ".."].includes(last);
}

function writeNew(path: string, text: string): string | undefined {
	try {
		// fails for whatever is there, and follows no link
		writeFileSync(path, text, { flag: "wx" });
		return undefined;
	} catch (error) {
		const { code } = error as NodeJS.ErrnoException;
		if (code === undefined) throw error;
		return code === "EEXIST"
			? "it exists already; name a new file"
			: `it cannot be written: ${code}`;
	}
}
