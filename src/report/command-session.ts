// `profile <session>`: the profile of one session, as a table, text, JSON or CSV.

import { statSync } from "node:fs";
import { measure } from "../profile/measure.ts";
import type { Problem, Profile } from "../profile/profile.ts";
import { chooseSession } from "./choose.ts";
import { type Io, OK, readArguments, readNumber, refuseUsage, UNREADABLE, writeAll } from "./io.ts";
import { printable } from "./printable.ts";
import { startProgress } from "./progress.ts";

const OPTIONS = {
	last: { type: "string" },
	json: { type: "boolean" },
	csv: { type: "boolean" },
	verify: { type: "boolean" },
} as const;

/** Profiles the one session that the arguments name. */
export async function profileSession(args: readonly string[], io: Io): Promise<number> {
	const parsed = readArguments(args, OPTIONS);
	if (typeof parsed === "string") return refuseUsage(io, parsed);
	const { values, positionals } = parsed;
	const [argument, ...others] = positionals;
	if (argument === undefined || others.length > 0)
		return refuseUsage(io, `name one session, not ${positionals.length}`);
	if (values.json && values.csv) return refuseUsage(io, "--json and --csv exclude each other");
	const last = values.last === undefined ? undefined : readNumber("last", values.last, 0);
	if (typeof last === "string") return refuseUsage(io, last);
	const choice = await chooseSession(argument, io);
	if ("code" in choice) return choice.code;
	const found = profileOf(choice.file, io);
	if (!found) return UNREADABLE;
	const profile = values.verify ? await verified(found) : found;
	await print(profile, { json: values.json, csv: values.csv, last }, io);
	return OK;
}

async function verified(profile: Profile): Promise<Profile> {
	const { verifyFolds } = await import("../profile/verify.ts");
	return { ...profile, folds: verifyFolds(profile.session.file, profile.folds) };
}

interface Form {
	readonly json: boolean | undefined;
	readonly csv: boolean | undefined;
	readonly last: number | undefined;
}

/** Loads the one form that is asked for. */
async function print(profile: Profile, { json, csv, last }: Form, io: Io): Promise<void> {
	if (json) writeAll((await import("./json.ts")).writeJson(profile, last), io.out);
	else if (csv) writeAll((await import("./session-csv.ts")).writeCsv(profile, last), io.out);
	else {
		io.out((await import("./session.ts")).drawSession(profile, io.paper, last));
		tellProblems(profile.session.problems, profile.session.file, io);
	}
}

/** The profile of a file; undefined after saying why there is none. */
export function profileOf(file: string, io: Io): Profile | undefined {
	const progress = startProgress(io, statSync(file, { throwIfNoEntry: false })?.size);
	const { profile, refusal } = measure(file, progress.report);
	progress.done();
	if (!profile) io.err(`profile: ${printable(file)}: ${printable(refusal)}\n`);
	return profile;
}

/** More than this are counted, not listed. */
const SHOWN = 50;

/** Lists what is wrong with a file, a line each. */
export function tellProblems(problems: readonly Problem[], file: string, io: Io): void {
	for (const { line, reason } of problems.slice(0, SHOWN))
		io.err(`${printable(file)}:${line}: ${printable(reason)}\n`);
	if (problems.length > SHOWN)
		io.err(`… and ${problems.length - SHOWN} problems more (--json has all)\n`);
}
