// A line put together from parts, of which the least important give way where it would not fit: nothing is
// cut in the middle of a word.

import { widthOf } from "./width.ts";

/** One part of a line. */
export interface Part {
	readonly text: string;
	/** 0 stays longest; of equal ones the right-most goes first */
	readonly rank: number;
}

/** As many of the parts as fit in a line, two blanks between them; the most important one always stays. */
export function joinFitting(parts: readonly Part[], columns: number): string {
	const kept = [...parts];
	for (;;) {
		const line = kept.map(({ text }) => text).join("  ");
		if (kept.length < 2 || widthOf(line) <= columns) return line;
		let worst = 0;
		for (const [i, { rank }] of kept.entries()) if (rank >= (kept[worst]?.rank ?? 0)) worst = i;
		kept.splice(worst, 1);
	}
}
