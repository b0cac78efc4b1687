// `profile <session>`: the profile of one session, as a table, text, JSON or CSV.

import { type Measured, measure } from "../profile/measure.ts";
import type { Profile } from "../profile/profile.ts";
import { placeAt } from "../session/file-place.ts";
import { chooseSession } from "./choose.ts";
import { type Io, OK, readArguments, readNumber, refuseUsage, UNREADABLE, writeAll } from "./io.ts";
import { printable } from "./printable.ts";
import { startProgress } from "./progress.ts";

const OPTIONS = {
	last: { type: "string" },
	json: { type: "boolean" },
	csv: { type: "boolean" },
	view: { type: "boolean" },
	verify: { type: "boolean" },
} as const;

/** Profiles the one session that the arguments name. */
export async function profileSession(args: readonly string[], io: Io): Promise<number> {
	const parsed = readArguments("a report of a session", args, OPTIONS);
	if (typeof parsed === "string") return refuseUsage(io, parsed);
	const { values, positionals } = parsed;
	const [argument, ...others] = positionals;
	if (argument === undefined || others.length > 0)
		return refuseUsage(io, `name one session, not ${positionals.length}`);
	const forms = FORMS.filter((form) => values[form]);
	if (forms.length > 1) return refuseUsage(io, `--${forms.join(" and --")} exclude each other`);
	if (values.view && !(io.interactive && io.env["TERM"] !== "dumb"))
		return refuseUsage(io, "--view needs a terminal, and one that is not dumb");
	const last = values.last === undefined ? undefined : readNumber("last", values.last, 0);
	if (typeof last === "string") return refuseUsage(io, last);
	const choice = await chooseSession(argument, io);
	if ("code" in choice) return choice.code;
	const found = measureFile(choice.file, io);
	if (!found) return UNREADABLE;
	const profile = values.verify ? await verified(found.profile) : found.profile;
	await print({ ...found, profile }, { form: forms[0], last }, io);
	return OK;
}

const FORMS = ["json", "csv", "view"] as const;

async function verified(profile: Profile): Promise<Profile> {
	const { verifyFolds } = await import("../profile/verify.ts");
	return { ...profile, folds: verifyFolds(profile.session.file, profile.folds) };
}

interface Wanted {
	readonly form: (typeof FORMS)[number] | undefined;
	readonly last: number | undefined;
}

/** Loads the one form that is asked for. */
async function print(measured: Measured, { form, last }: Wanted, io: Io): Promise<void> {
	const { profile } = measured;
	switch (form) {
		case "json":
			return writeAll((await import("./json.ts")).writeJson(profile, last), io.out);
		case "csv":
			return writeAll((await import("./session-csv.ts")).writeCsv(profile, last), io.out);
		case "view":
			return (await loadView()).openView(measured, io.paper.colour, last);
		case undefined:
			io.out((await import("./session.ts")).drawSession(profile, io.paper, last));
			(await import("./problems.ts")).tellProblems(profile.session, io);
	}
}

/** Profiles a file; undefined after saying why there is no profile. */
export function measureFile(file: string, io: Io): Measured | undefined {
	const progress = startProgress(io, placeAt(file).bytes);
	const outcome = measure(file, progress.report);
	progress.done();
	if (outcome.profile) return outcome;
	io.err(`${io.name}: ${printable(file)}: ${printable(outcome.refusal)}\n`);
	return undefined;
}

/** ink reads these once, and draws nothing but a last frame where they are set; a view in a terminal is meant. */
function loadView(): Promise<typeof import("./view.ts")> {
	for (const name of ["CI", "CONTINUOUS_INTEGRATION"]) delete process.env[name];
	return import("./view.ts");
}
