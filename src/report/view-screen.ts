// One screen of the view, whatever is on it: exactly as many lines as the terminal has rows, none wider
// than it.

import { estimated, formatCount, formatShare, plural } from "./number.ts";
import { printable } from "./printable.ts";
import { isFolded, sumUsd } from "./sum.ts";
import { captionOf, keysOf } from "./view-caption.ts";
import { drawChart, MARKS } from "./view-chart.ts";
import {
	drawFold,
	drawFoldList,
	drawRequest,
	moreAbove,
	moreBelow,
	noRequests,
	type PaneSize,
} from "./view-panes.ts";
import type { Subject, ViewState } from "./view-state.ts";
import { clip, widthOf } from "./width.ts";

/** An id is told from others by so much of it. */
const LEAST_ID = 9;

/** The lines of the screen. */
export function drawScreen(subject: Subject, state: ViewState, size: PaneSize): string[] {
	const inner = innerOf(size);
	const body = bodyOf(subject, state, inner);
	const above = Math.min(state.scroll, Math.max(0, body.length - inner.rows));
	const filled = Array.from({ length: inner.rows }, (_, row) => body[above + row] ?? "");
	const below = body.length - above - inner.rows;
	// the last line in sight gives way to the sign: it comes with the next step down
	if (below > 0 && isText(state)) filled.splice(-1, 1, moreBelow(below + 1));
	const lines = [
		titleOf(subject, size.columns),
		moreAbove(above),
		...filled,
		keysOf(subject, state, size.columns),
	];
	// painted lines are as wide as they should be already
	return lines.map((line) => (line.includes("\u001b") ? line : clip(line.trimEnd(), size.columns)));
}

/** The same place with no more scrolled than there is: a key back must not first undo steps that went nowhere. */
export function settle(subject: Subject, state: ViewState, size: PaneSize): ViewState {
	if (state.scroll === 0) return state;
	const { rows } = innerOf(size);
	const most = Math.max(0, bodyOf(subject, state, innerOf(size)).length - rows);
	return state.scroll <= most ? state : { ...state, scroll: most };
}

/** A title with a line below it, and the keys, are around what is looked at. */
function innerOf(size: PaneSize): PaneSize {
	return { ...size, rows: Math.max(1, size.rows - 3) };
}

function isText({ pane }: ViewState): boolean {
	return pane === "request" || pane === "fold";
}

/** The sums of the session, and as much of its id as they leave room for. */
function titleOf({ profile: { session, totals, folds } }: Subject, columns: number): string {
	const cost = `cost ${sumUsd(totals.costUsd, totals)}`;
	const saved = estimated(formatCount(isFolded(folds) ? totals.savedTokens : 0));
	const sums = `  ${plural(totals.requests, "request", "requests")}  ${cost}  hit ${formatShare(totals.cacheHit)}  saved ${saved}`;
	const room = Math.max(LEAST_ID, columns - widthOf(sums));
	return `${clip(printable(session.id ?? session.file), room)}${sums}`;
}

function bodyOf(subject: Subject, state: ViewState, size: PaneSize): string[] {
	switch (state.pane) {
		case "chart":
			return chartOf(subject, state, size);
		case "request":
			return drawRequest(subject, state, size);
		case "folds":
			return drawFoldList(subject, state, size);
		case "fold":
			return drawFold(subject, state, size);
	}
}

function chartOf(subject: Subject, state: ViewState, size: PaneSize): string[] {
	const { requests, totals } = subject.profile;
	if (requests.length === 0) return [noRequests(subject.profile)];
	const shown = requests.length < totals.requests ? `  the last ${requests.length}` : "";
	const legend = `${MARKS.sent} sent  ${MARKS.raw} raw  ${MARKS.measured} measured  ${MARKS.compaction} compaction  ${MARKS.fold} fold${shown}`;
	const chart = drawChart(subject, state.request, { ...size, rows: size.rows - 3 });
	return [...chart, ...captionOf(subject, state, size.columns), legend];
}
