// What the user waits for: opening the picker on a long session, and asking for a price in it.

import { previewFold } from "../src/pi/folding.ts";
import { Picker } from "../src/pi/picker.ts";
import { readChoices } from "../src/pi/picker-dialog.ts";
import { fakePi } from "../test/support/fake-pi.ts";
import { growing } from "./growth.ts";
import { type LongSession, makeSession } from "./long-session.ts";
import { type Ratio, timeInTurn } from "./ratio.ts";

/** A step is a reply and its result. */
const STEPS = 2_000;
const FOLDS = 20;
const ROUNDS = 31;
/** 4 ** 0.2, the same power of the size that allows 2.3 times as long for twice the steps. */
const AT_MOST = 1.32;

/** The ratios about a choice of the user's. */
export const PICKER_RATIOS: readonly Ratio[] = [
	ratioOf("open the picker", openPicker),
	growthOf("open the picker", openPicker),
	ratioOf("price a fold", priceFold),
	growthOf("price a fold", priceFold),
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

function growthOf(name: string, act: Act): Ratio {
	const prepare = (steps: number) => act(makeSession(2 * steps, (FOLDS * steps) / STEPS));
	return growing(`${name}, steps`, STEPS, prepare, { atMost: AT_MOST });
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
