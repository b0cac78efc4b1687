// Profiles one session: reads the file once, walks its active branch once, and puts the numbers together.

import type { FoldRecord } from "../../fold.ts";
import { type Reading, readSessionInto } from "../session/file.ts";
import type { BranchWalk } from "./branch-walk.ts";
import { calibrate } from "./calibration.ts";
import { recordsOfFolds, rowsOfFolds } from "./fold-rows.ts";
import { type FoldWalk, walkFolded } from "./fold-walk.ts";
import { Intake } from "./intake.ts";
import { sweep } from "./memory.ts";
import { enterMisses } from "./miss.ts";
import type { Calibration, Profile, SessionFacts } from "./profile.ts";
import { timeOf } from "./time.ts";
import { sumBranch, sumFile } from "./totals.ts";

/** A profile and its traces. */
export interface Measured {
	readonly profile: Profile;
	readonly traces: Traces;
}

/** A profile, or why there is none. */
export type Outcome =
	| (Measured & { readonly refusal?: undefined })
	| { readonly profile?: undefined; readonly refusal: string };

/** What a view shows beside the numbers. */
interface Traces {
	/** for each fold of the profile its record; undefined where that could not be read */
	readonly records: readonly (FoldRecord | undefined)[];
	/** positions, from 0, of the requests that came first after a compaction */
	readonly compactions: readonly number[];
}

/**
 * Profiles the session of a file. Never throws for what a file is.
 *
 * @param progress is told the bytes read so far
 */
export function measure(file: string, progress?: (bytes: number) => void): Outcome {
	const intake = new Intake();
	const reading = readSessionInto(file, intake, progress);
	if (reading.refusal !== undefined) return { refusal: reading.refusal };
	sweep(intake.tree.nodes.length);
	const { walk, found } = walkLightly(intake);
	sweep(intake.tree.nodes.length);
	const calibration = calibrate(walk.requests);
	enterSavings(walk, intake, calibration);
	enterMisses(walk.requests, walk.history, intake.replies, calibration);
	sweep(intake.tree.nodes.length);
	const folds = rowsOfFolds(intake, walk, found);
	const { totals, leastMissUsd } = sumBranch(intake, walk, found, folds);
	const { spend, unmeasured } = sumFile(intake);
	const odd = intake.oddities.on(walk.path, (at) => intake.replyOf(at));
	const profile: Profile = {
		version: 1,
		session: factsOf(file, intake, reading),
		calibration,
		requests: walk.requests,
		folds,
		totals,
		spend,
		asides: { ...odd, unmeasured, leastMissUsd },
	};
	const traces = { records: recordsOfFolds(intake), compactions: walk.compactions };
	return { profile, traces };
}

/**
 * The walk without the shape of the branch, which takes more room than all the rest. A function of its own,
 * since as long as a variable names it nothing is given back.
 */
function walkLightly(intake: Intake): { walk: Omit<BranchWalk, "steps">; found: FoldWalk } {
	const { walk, found } = walkFolded(intake);
	const { steps: _, ...light } = walk;
	return { walk: light, found };
}

function factsOf(
	file: string,
	{ head, tree, problems }: Intake,
	{ version, lines, bytes }: Omit<Reading, "refusal">,
): SessionFacts {
	return {
		file,
		id: head?.id || null,
		cwd: head?.cwd || null,
		startedAt: timeOf(Date.parse(head?.timestamp ?? "")),
		version,
		lines,
		bytes,
		entries: tree.nodes.length,
		branches: tree.countLeaves(),
		problems: problems.sort((a, b) => a.line - b.line),
	};
}

/** Calibrated savings; none where the measured prompt says that the raw branch was sent after all. */
function enterSavings(
	walk: Pick<BranchWalk, "requests" | "history">,
	intake: Intake,
	{ k, overhead }: Calibration,
): void {
	const { requests, history } = walk;
	for (let i = 0; i < requests.length; i++) {
		const folded = requests.folded.at(i);
		const raw = requests.raw.at(i);
		const prompt = requests.promptAt(i);
		// nearer to the request before than to any line: what that one sent is known
		const anchor = anchorOf(i, history.at(i).previous);
		const base = anchor === undefined ? overhead : anchor;
		const isRaw =
			requests.folds.at(i) > 0 &&
			Math.abs(prompt - base - k * raw) < Math.abs(prompt - base - k * folded);
		requests.unfolded.set(i, isRaw ? 1 : 0);
		requests.saved.set(i, isRaw ? 0 : Math.round(k * (raw - folded)));
	}

	/** What the request before had beside its estimate; undefined where another model was asked. */
	function anchorOf(position: number, previous: number): number | undefined {
		const { replies } = intake;
		const maker = (at: number) => replies.makerNumberOf(requests.reply.at(at));
		if (previous < 0 || maker(previous) !== maker(position)) return undefined;
		const sent = requests.unfolded.at(previous) === 1 ? requests.raw : requests.folded;
		return requests.promptAt(previous) - k * sent.at(previous);
	}
}
