// A run of 40 steps with three folds, and what is sent for each of its requests. The session is the same
// with folding on or off: off, the host sends its own list.

import { type Entry, type FoldRecord, propose, Replayer } from "../../../fold.ts";
import { viewOf } from "../../../src/pi/context.ts";
import { projection, readBranch } from "../../../src/session/branch.ts";
import type { PiMessage, SessionEntry } from "../../../src/session/entry.ts";
import { textHost } from "../notation.ts";
import { dress, type Look } from "./dress.ts";
import type { Json } from "./finding.ts";
import { payloadOf } from "./target.ts";

/** How folding is set while a run is sent. */
export type Folding = "off" | "markers only" | "on";

/** One request of a run. */
export interface Sent {
	readonly payload: Json;
	/** the step with which a fold begins that landed since the request before it; absent: none did */
	readonly foldedFrom: number | undefined;
}

/** Before which step each fold is made, and from which step on. */
const FOLDS: Readonly<Record<number, number>> = { 12: 3, 24: 14, 36: 1 };

/** How many steps a run has, and so requests. */
export const STEPS = 40;

/**
 * The branch of the run: a request of the user in front and after every tenth step, a batch of three calls at
 * each fifth; at the steps of `FOLDS` the model folds.
 */
export function runOf(folds: boolean): Entry<string>[] {
	const replayer = new Replayer(textHost);
	const branch: Entry<string>[] = [];
	const push = (fields: Omit<Entry<string>, "id">) => {
		const entry = { id: `e${branch.length}`, tokens: 600, ...fields };
		branch.push(entry);
		replayer.push(entry);
	};
	push({ kind: "user", message: "U1:go" });
	for (let step = 1; step <= STEPS; step++) {
		const fromStep = FOLDS[step];
		const ids = step % 5 === 0 ? ["a", "b", "c"] : ["a"];
		const made =
			fromStep !== undefined
				? [{ id: `fold${step}`, name: "send_dmail" }]
				: ids.map((id) => ({ id: `${id}${step}`, name: "bash" }));
		const isAnswer = step % 10 === 0;
		push({ kind: "assistant", message: `A${step}`, calls: isAnswer ? [] : made });
		if (isAnswer) push({ kind: "user", message: `U${step}:go on` });
		else if (fromStep !== undefined && folds)
			push({ kind: "record", record: foldOf(replayer, fromStep, `fold${step}`) });
		if (!isAnswer)
			for (const { id } of made) push({ kind: "result", message: output(id), callId: id });
	}
	return branch;
}

/** What a command prints: 3 KB. */
function output(id: string): string {
	return `R${id}#${`${id} line of output `.repeat(150)}`;
}

function foldOf(replayer: Replayer<string>, fromStep: number, callId: string): FoldRecord {
	const proposal = propose(replayer, { fromStep, callId, live: true });
	if (!proposal.ok) throw new Error(`the run cannot be folded: ${JSON.stringify(proposal)}`);
	const { ok, range, ...frozen } = proposal;
	const summary = `Steps from ${fromStep} on are done.`;
	return { kind: "fold", v: 1, id: `f${1000 + fromStep}`, summary, by: "model", callId, ...frozen };
}

/** All requests of the run in order, as one target gets them. */
export async function requestsOf(look: Look, folding: Folding): Promise<Sent[]> {
	const branch = runOf(folding === "on");
	const entries = dress(branch, look);
	const known = new Map(branch.map((entry) => [entry.id, entry]));
	const sent: Sent[] = [];
	let foldedFrom: number | undefined;
	for (const [at, { id }] of entries.entries()) {
		const { kind, record } = known.get(id) ?? {};
		if (record?.kind === "fold") foldedFrom = record.fromStep;
		if (kind !== "assistant") continue;
		const list = listOf(entries.slice(0, at), look, folding);
		const payload = await payloadOf(look.target, list, look.generation);
		sent.push({ payload, foldedFrom });
		foldedFrom = undefined;
	}
	return sent;
}

/** The list that is sent for a session. */
export function listOf(
	entries: readonly SessionEntry[],
	{ generation }: Pick<Look, "generation">,
	folding: Folding,
): readonly PiMessage[] {
	const own = projection(entries, generation).map((shown) => shown.message);
	if (folding === "off") return own;
	const branch = readBranch(entries, generation);
	const log = { generation, cwd: "/", stored: entries, branch };
	return viewOf(log, own, { folds: true, markers: true, nudgeAt: 20_000 }).messages;
}
