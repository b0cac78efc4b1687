// `profile folds <session>`: every fold of a session, checked against its digest.

import { verifyFolds } from "../profile/verify.ts";
import { chooseSession } from "./choose.ts";
import { measureFile } from "./command-session.ts";
import { type Io, OK, readArguments, refuseUsage, UNREADABLE } from "./io.ts";

const OPTIONS = { json: { type: "boolean" } } as const;

/** Lists the folds of the one session that the arguments name. */
export async function foldsCommand(args: readonly string[], io: Io): Promise<number> {
	const parsed = readArguments("folds", args, OPTIONS);
	if (typeof parsed === "string") return refuseUsage(io, parsed);
	const [argument, ...others] = parsed.positionals;
	if (argument === undefined || others.length > 0)
		return refuseUsage(io, `folds: name one session, not ${parsed.positionals.length}`);
	const choice = await chooseSession(argument, io);
	if ("code" in choice) return choice.code;
	const profile = measureFile(choice.file, io)?.profile;
	if (!profile) return UNREADABLE;
	const folds = profile.folds.length === 0 ? [] : verifyFolds(choice.file, profile.folds);
	if (parsed.values.json) {
		const { jsonText } = await import("./json.ts");
		io.out(`{"folds":[${folds.map((fold) => `\n${jsonText(fold)}`).join(",")}]}\n`);
	} else {
		const { drawFolds } = await import("./folds.ts");
		io.out(drawFolds(folds, io.paper));
		(await import("./problems.ts")).tellProblems(profile.session, io);
	}
	return OK;
}
