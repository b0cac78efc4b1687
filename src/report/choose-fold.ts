// Which fold an argument means: its id, or the beginning of one.

import type { Recoverable, Recovery } from "../profile/recover.ts";
import { chooseSession } from "./choose.ts";
import { type Io, refuseUsage, UNREADABLE } from "./io.ts";
import { printable } from "./printable.ts";

/** What was found, or the exit code after saying why nothing was. */
type Found<T> = { readonly found: T } | { readonly code: number };

/** The folds of the session that an argument names. */
export async function chooseRecovery(argument: string, io: Io): Promise<Found<Recovery>> {
	const choice = await chooseSession(argument, io);
	if ("code" in choice) return choice;
	const { recoverFolds } = await import("../profile/recover.ts");
	const found = recoverFolds(choice.file);
	if (found.refusal === undefined) return { found };
	io.err(`${io.name}: ${printable(choice.file)}: ${printable(found.refusal)}\n`);
	return { code: UNREADABLE };
}

/** Finds the fold: exactly, by its record's entry too, else by its beginning. Several are refused. */
export function chooseFold(folds: readonly Recoverable[], id: string, io: Io): Found<Recoverable> {
	const wanted = id.toLowerCase();
	const own = (fold: Recoverable) => fold.record.id.toLowerCase();
	const exact = folds.findLast((fold) => own(fold) === wanted || fold.entryId === id);
	const matches = exact ? [exact] : folds.filter((fold) => own(fold).startsWith(wanted));
	const [found, ...others] = matches;
	if (found && others.length === 0) return { found };
	const listed = (found ? matches : folds).map(({ record }) => record.id).join(", ");
	const said = found
		? `${id} is the beginning of ${matches.length} folds: ${listed}`
		: `there is no fold ${id}; ${listed === "" ? "nothing is folded" : `there are ${listed}`}`;
	return { code: refuseUsage(io, printable(said)) };
}

/** Tells on standard error what is known against a fold that is given all the same. */
export function tellDoubt({ record, damage }: Recoverable, io: Io): void {
	const unproven = record.digest === undefined ? "unverified: its record has no digest" : undefined;
	const doubt = damage === undefined ? unproven : `its record is damaged: ${damage}`;
	if (doubt !== undefined)
		io.err(`${io.name}: fold ${printable(record.id)}: ${printable(doubt)}\n`);
}

/** A text for where it goes: to the letter into a pipe, line by line made safe for a terminal. */
export function forPaper(text: string, io: Io): string {
	if (io.paper.kind === "pipe") return text;
	return `${text.split("\n").map(printable).join("\n")}\n`;
}
