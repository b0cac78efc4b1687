// What the user waits for: opening the picker on a long session, and asking for a price in it.

import { previewFold } from "../src/pi/folding.ts";
import { Picker } from "../src/pi/picker.ts";
import { readChoices } from "../src/pi/picker-dialog.ts";
import { fakePi } from "../test/support/fake-pi.ts";
import { type LongSession, makeSession } from "./long-session.ts";
import { type Ratio, repeated, timeInTurn } from "./ratio.ts";

/** A step is a reply and its result. */
const STEPS = 2_000;
const FOLDS = 20;
const ROUNDS = 31;
const FEW_ROUNDS = 15;
const OFTEN = 8;

/** The ratios about a choice of the user's. */
export const PICKER_RATIOS: readonly Ratio[] = [
	ratioOf("open the picker", openPicker),
	twiceOf("open the picker", openPicker),
	ratioOf("price a fold", priceFold),
	twiceOf("price a fold", priceFold),
];

type Act = (session: LongSession) => () => void;

function ratioOf(name: string, act: Act): Ratio {
	return {
		name: `${name} on ${STEPS} steps`,
		against: "one pass over the messages (JSON)",
		atMost: 3,
		measure() {
			const session = makeSession(2 * STEPS, FOLDS);
			const theirs = () => JSON.stringify(session.list);
			return timeInTurn({ rounds: ROUNDS, ours: act(session), theirs });
		},
	};
}

function twiceOf(name: string, act: Act): Ratio {
	return {
		name: `${name} on ${2 * STEPS} steps`,
		against: `on ${STEPS}`,
		atMost: 2.3,
		measure() {
			const ours = repeated(act(makeSession(4 * STEPS, 2 * FOLDS)), OFTEN);
			// two sessions of half the steps: as much memory and as much garbage, or the caches and the collector decide
			const [one, other] = [act(makeSession(2 * STEPS, FOLDS)), act(makeSession(2 * STEPS, FOLDS))];
			const theirs = () => {
				one();
				other();
			};
			return timeInTurn({ rounds: FEW_ROUNDS, parts: 2, ours, theirs: repeated(theirs, OFTEN) });
		},
	};
}

const THEME = { fg: (_: string, text: string) => text, bold: (text: string) => text };

/** Reads the choices and paints the first screen. */
function openPicker({ entries }: LongSession): () => void {
	const { pi, ctx } = fakePi(entries);
	return () => {
		const picker = new Picker(readChoices(pi, ctx), {
			theme: THEME as never,
			keys: { matches: () => false },
			height: 12,
			asksModel: true,
			done: () => undefined,
		});
		if (picker.render(100).length < 12) throw new Error("the picker is empty");
	};
}

/** Prices a fold of the newest steps, as `/dmail price` does. */
function priceFold({ entries }: LongSession): () => void {
	const { pi, ctx } = fakePi(entries);
	const fromStep = 1;
	return () => {
		const price = previewFold(pi, ctx, {
			wish: { fromStep, live: false },
			by: "user",
			timing: "auto",
		});
		if (!price.ok) throw new Error(price.reason);
	};
}
