// What the hook does for a request where a session is as large as it gets, each against a clone of the same
// list, which pi makes for every request; and where growth could be worse than linear, against its parts.

import { Chat } from "../test/support/chat.ts";
import { growing } from "./growth.ts";
import { type LongSession, makeSession } from "./long-session.ts";
import { type Ratio, repeated, timeInTurn } from "./ratio.ts";
import { requestOf } from "./replay.ts";

/** A session of so much, and the chips in its view. */
interface Large {
	readonly session: LongSession;
	readonly chips: number;
}

const MEGABYTE = 1_000_000;
const ROUNDS = 9;
/** Short requests: many of them in each round. */
const FEW = 3;
const OFTEN = 20;
const VERY_OFTEN = 200;

/** The ratios about limits. */
export const LIMIT_RATIOS: readonly Ratio[] = [
	againstClone("a request of 100,000 entries, 5,000 folds", () => long(100_000, 5_000)),
	growing("entries, a fold in twenty", 25_000, (count) => asked(long(count, count / 20))),
	againstClone("a request with a result of 5 MB", () => result(5 * MEGABYTE), OFTEN),
	againstClone("a request with 500 calls in one reply", () => parallel(500), OFTEN),
	growing("calls in one reply", 2_000, (count) => asked(parallel(count)), { times: FEW }),
	againstClone("a request with 30 refolds of 600 steps, nested", () => nested(30, 20), OFTEN),
	againstClone(
		"a request with 30 refolds of one short step each, nested",
		() => nested(30, 1),
		VERY_OFTEN,
	),
	growing("refolds, nested", 30, (count) => asked(nested(count, 40)), { times: FEW }),
];

function againstClone(name: string, make: () => Large, times = 1): Ratio {
	return {
		name,
		against: "structuredClone of the same list",
		atMost: 1,
		measure() {
			const large = make();
			const theirs = repeated(() => structuredClone(large.session.list), times);
			return timeInTurn({
				rounds: ROUNDS,
				ours: asked(large, times),
				theirs,
			});
		},
	};
}

function asked({ session, chips }: Large, times = 1): () => void {
	return repeated(requestOf(session, chips), times);
}

/** Each fold has an entry of its own beside the messages. */
function long(entries: number, folds: number): Large {
	return { session: makeSession(entries - folds, folds), chips: folds };
}

function result(bytes: number): Large {
	const chat = new Chat()
		.user()
		.reply(["a"])
		.result("a", "x\n".repeat(bytes / 2));
	return of(chat.user(), 0);
}

function parallel(calls: number): Large {
	return of(
		new Chat()
			.user()
			.step(...ids(calls, "c"))
			.user(),
		0,
	);
}

/** Folds from the first step on, each around the one before it. */
function nested(folds: number, steps: number): Large {
	const chat = new Chat().user();
	for (const fold of ids(folds, "f")) {
		for (const step of ids(steps, fold)) chat.step(step);
		chat.fold("e1", null);
	}
	return of(chat.user(), 1);
}

function of(chat: Chat, chips: number): Large {
	return { session: { entries: chat.entries, list: chat.list() }, chips };
}

function ids(count: number, prefix: string): string[] {
	return Array.from({ length: count }, (_, at) => `${prefix}.${at}`);
}
