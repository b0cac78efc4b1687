// `profile what-if <session…>`: what recorded sessions would have cost under policies that fold.

import { realpathSync } from "node:fs";
import { resolve } from "node:path";
import { PRESETS } from "../price/preset.ts";
import { ALL_POLICIES, type Policy, readPolicy } from "../profile/policy.ts";
import { playFile, type SessionRows } from "../profile/what-if.ts";
import { assumptionsOf } from "../profile/what-if-assumptions.ts";
import { limitsOf } from "../profile/what-if-era.ts";
import { sumSessions } from "../profile/what-if-sums.ts";
import { byPreset, DEFAULTS, OWN, type Terms } from "../profile/what-if-terms.ts";
import { placeAt } from "../session/file-place.ts";
import { sessionsRoot } from "../session/file-root.ts";
import { findSessions } from "../session/file-search.ts";
import { chooseSession } from "./choose.ts";
import {
	type Io,
	OK,
	readArguments,
	readNumber,
	refuseUsage,
	tellUnread,
	UNREADABLE,
} from "./io.ts";
import { jsonText } from "./json.ts";
import { printable } from "./printable.ts";
import { startProgress } from "./progress.ts";
import { drawWhatIf } from "./what-if.ts";

const OPTIONS = {
	policy: { type: "string", multiple: true },
	rates: { type: "string" },
	refresh: { type: "string" },
	"summary-ratio": { type: "string" },
	keep: { type: "string" },
	foldable: { type: "string" },
	window: { type: "string" },
	json: { type: "boolean" },
} as const;

/** Plays the sessions that the arguments name; a directory stands for all that belong to it. */
export async function whatIfCommand(args: readonly string[], io: Io): Promise<number> {
	const parsed = readArguments("what-if", args, OPTIONS);
	if (typeof parsed === "string") return refuseUsage(io, parsed);
	const { values, positionals } = parsed;
	if (positionals.length === 0)
		return refuseUsage(io, "what-if: name sessions, or a directory of them");
	const policies = policiesOf(values.policy ?? []);
	if (typeof policies === "string") return refuseUsage(io, policies);
	const asked = termsOf(values);
	if (typeof asked === "string") return refuseUsage(io, asked);
	const named = await filesOf(positionals, io);
	if ("code" in named) return named.code;
	const sessions = playAll(named.files, policies, asked.terms, io);
	if (sessions.length === 0) return UNREADABLE;
	const sums = sumSessions(sessions);
	const assumptions = assumptionsOf(asked.terms, asked.rates);
	if (values.json) io.out(`${jsonText({ version: 1, totals: sums, sessions, assumptions }, 1)}\n`);
	else io.out(drawWhatIf(sums, sessions, { assumptions }, io.paper));
	return named.isPart || sessions.length < named.files.length ? UNREADABLE : OK;
}

/** Plays file by file; one that cannot be read is told and takes nothing from the others. */
function playAll(
	files: readonly string[],
	policies: readonly Policy[],
	terms: Terms,
	io: Io,
): SessionRows[] {
	const sizes = files.map((file) => placeAt(file).bytes);
	const progress = startProgress(
		io,
		sizes.reduce((a, b) => a + b, 0),
	);
	let before = 0;
	const sessions: SessionRows[] = [];
	for (const [i, file] of files.entries()) {
		const report = (bytes: number) => progress.report(before + bytes);
		const { session, refusal } = playFile(file, policies, terms, report);
		before += sizes[i] ?? 0;
		if (session) sessions.push(session);
		else tellUnread(io)(file, refusal);
	}
	progress.done();
	return sessions;
}

function policiesOf(asked: readonly string[]): Policy[] | string {
	const names = asked.flatMap((text) => text.split(","));
	const policies: Policy[] = [];
	for (const name of names.length > 0 ? names : ALL_POLICIES) {
		const policy = readPolicy(name);
		if (typeof policy === "string") return policy;
		policies.push(policy);
	}
	return policies;
}

type Values = {
	readonly [name in Exclude<keyof typeof OPTIONS, "policy" | "json">]?: string | undefined;
};

/** The terms that the options ask for, and what they say of rates; what is wrong with an option, if any is. */
function termsOf(values: Values): { terms: Terms; rates: string } | string {
	const rates = ratesOf(values.rates);
	if (typeof rates === "string") return rates;
	const summaryRatio = readShare("summary-ratio", values["summary-ratio"], DEFAULTS.summaryRatio);
	const foldable = readShare("foldable", values.foldable, DEFAULTS.foldable);
	const keep = values.keep === undefined ? DEFAULTS.keep : readNumber("keep", values.keep, 1);
	const window =
		values.window === undefined ? undefined : readNumber("window", values.window, 32_768);
	for (const wrong of [summaryRatio, foldable, keep, window])
		if (typeof wrong === "string") return wrong;
	const refresh = values.refresh ?? DEFAULTS.refresh;
	if (refresh !== "all" && refresh !== "hit") return `--refresh is all or hit, not ${refresh}`;
	const terms: Terms = {
		...rates.terms,
		summaryRatio: Number(summaryRatio),
		foldable: Number(foldable),
		keep: Number(keep),
		refresh,
		limits: (tape) => limitsOf(tape, typeof window === "number" ? window : undefined),
	};
	return { terms, rates: rates.said };
}

function ratesOf(name = "own"): { terms: Pick<Terms, "prices" | "rules">; said: string } | string {
	if (name === "own")
		return {
			terms: OWN,
			said: "prices are those that each session recorded, cache rules those of its models (--rates: a price list)",
		};
	const preset = Object.hasOwn(PRESETS, name) ? PRESETS[name] : undefined;
	if (!preset)
		return `no rates ${JSON.stringify(name)}; there are own, ${Object.keys(PRESETS).join(", ")}`;
	return {
		terms: byPreset(preset),
		said: `prices and cache as of ${preset.model}, ${preset.asOf} (${preset.source})`,
	};
}

/** A share as `8%`, `8` or `0.08`. */
function readShare(name: string, value: string | undefined, otherwise: number): number | string {
	if (value === undefined) return otherwise;
	const number = Number(value.replace(/\s*%$/, ""));
	const share = value.endsWith("%") || number > 1 ? number / 100 : number;
	if (value.trim() !== "" && share >= 0 && share <= 1) return share;
	return `--${name} takes a share such as 8%, not ${JSON.stringify(value)}`;
}

/** What arguments name. */
interface Named {
	readonly files: readonly string[];
	/** whether something below a directory could not be looked into */
	readonly isPart: boolean;
}

/** The files of all arguments, each once, or the exit code after saying which is none. */
async function filesOf(
	positionals: readonly string[],
	io: Io,
): Promise<Named | { readonly code: number }> {
	const files = new Set<string>();
	let isPart = false;
	for (const argument of positionals) {
		const directory = resolve(io.cwd, argument);
		if (argument !== "" && placeAt(directory).kind === "directory") {
			const found = sessionsIn(directory, io);
			if ("code" in found) return found;
			for (const file of found.files) files.add(file);
			isPart ||= found.isPart;
			continue;
		}
		const choice = await chooseSession(argument, io);
		if ("code" in choice) return choice;
		files.add(choice.file);
	}
	return { files: [...files], isPart };
}

/**
 * The files below a directory, if any is a session; else the sessions of the project that it is. What cannot be
 * read is told.
 */
function sessionsIn(directory: string, io: Io): Named | { readonly code: number } {
	let isPart = false;
	const tell = tellUnread(io);
	const search = (root: string) =>
		findSessions(root, (path, reason) => {
			isPart = true;
			tell(path, reason);
		});
	const below = search(directory);
	const here = realpathSync(directory);
	// those that are no sessions too: who names a directory wants to know what of it was left out
	const found = below.some(({ fault }) => !fault)
		? below
		: search(sessionsRoot(io.env, here, tell)).filter(({ header }) => header?.cwd === here);
	if (found.length > 0) return { files: found.map(({ file }) => file).toSorted(), isPart };
	for (const { file, fault = "" } of below) tell(file, fault);
	const none = refuseUsage(io, `no sessions in or of ${printable(directory)}`);
	return { code: isPart || below.length > 0 ? UNREADABLE : none };
}
