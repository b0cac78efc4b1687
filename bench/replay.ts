// What the hook does for a request, on long sessions: read the branch, align the list, replay the folds.

import type { ExtensionContext } from "@mariozechner/pi-coding-agent";
import { viewOf } from "../src/pi/context.ts";
import { readLog } from "../src/pi/log.ts";
import { align } from "../src/session/align.ts";
import { projection } from "../src/session/branch.ts";
import { type LongSession, makeSession } from "./long-session.ts";
import { type Ratio, repeated, timeInTurn } from "./ratio.ts";

const MARKS = { folds: true, markers: true, nudgeAt: 20_000 };
const MESSAGES = 3_120;
const FOLDS = 200;
const IN_PROCESS = { rounds: 31 };
const OFTEN = 8;

/** The ratios about one request. */
export const REPLAY_RATIOS: readonly Ratio[] = [
	{
		name: `align and replay ${MESSAGES} messages, ${FOLDS} folds`,
		against: "structuredClone of the same list",
		atMost: 1,
		async measure() {
			const session = makeSession(MESSAGES, FOLDS);
			const request = requestOf(session, FOLDS);
			const clone = () => structuredClone(session.list);
			return timeInTurn({ ...IN_PROCESS, ours: request, theirs: clone });
		},
	},
	{
		name: `the same for ${2 * MESSAGES} messages, ${2 * FOLDS} folds`,
		against: `for ${MESSAGES}`,
		atMost: 2.3,
		async measure() {
			const twice = requestOf(makeSession(2 * MESSAGES, 2 * FOLDS), 2 * FOLDS);
			const once = requestOf(makeSession(MESSAGES, FOLDS), FOLDS);
			const [ours, theirs] = [repeated(twice, OFTEN), repeated(once, OFTEN)];
			return timeInTurn({ ...IN_PROCESS, ours, theirs });
		},
	},
	{
		name: `align ${MESSAGES} messages that neighbours meddled with`,
		against: "structuredClone of the same list",
		atMost: 1,
		async measure() {
			const { entries, list } = makeSession(MESSAGES, FOLDS);
			const shown = projection(entries, "1.6");
			const theirs = meddled(list);
			return timeInTurn({
				...IN_PROCESS,
				ours: () => align(shown, theirs, { lag: false, length: entries.length }),
				theirs: () => structuredClone(list),
			});
		},
	},
];

/** The list as it is after neighbours: one put a message in the middle, others took some out. */
function meddled(list: LongSession["list"]): LongSession["list"] {
	const foreign = { role: "user", content: "a neighbour's", timestamp: 1 } as const;
	return list.toSpliced(2_000, 0, foreign).toSpliced(1_000, 2).toSpliced(300, 1);
}

/** One request of the session; throws unless so many chips stand in its view. */
export function requestOf({ entries, list }: LongSession, folds: number): () => void {
	const byId = new Map(entries.map((entry) => [entry.id, entry]));
	const sessionManager = {
		getEntry: (id: string) => byId.get(id),
		getLeafId: () => entries.at(-1)?.id,
		buildSessionProjection: undefined,
	};
	const context = { sessionManager } as unknown as ExtensionContext;
	return () => {
		const { sources } = viewOf(readLog(context), list, MARKS);
		const chips = sources.filter((source) => source.from === "chip").length;
		if (chips !== folds) throw new Error(`${chips} of ${folds} folds are in the view`);
	};
}
