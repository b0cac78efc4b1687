// Says no, so that the reader can act on it: the rule, the values, and what would work instead.

import { type Obstacle, obstacleTo, rangeOf, type Span, spanOf } from "./obstacle.ts";
import type { Replayer } from "./replay.ts";

/** Why not. `rule` is for code, `reason` for the reader: rule; values; way out. */
export interface Refusal {
	readonly ok: false;
	readonly rule:
		| "nothing"
		| "no-such-step"
		| "in-progress"
		| "backwards"
		| "compacted"
		| "inside"
		| "parted"
		| "pinned";
	readonly reason: string;
}

/** Whether numbers name steps that can be folded at all: a refusal if not. */
export function refuseSteps<M>(replayer: Replayer<M>, asked: Span, can: Span): Refusal | undefined {
	const { first, last } = asked;
	const { count } = replayer.steps;
	if (can.last < 1) return refuse("nothing", "nothing can be folded: no step is finished yet");
	for (const step of [first, last])
		if (!Number.isSafeInteger(step) || step < 1 || step > count)
			return refuse("no-such-step", `there is no step ${step}; ${foldable(replayer, can)}`);
	for (const step of [first, last])
		if (step > can.last)
			return refuse(
				"in-progress",
				`step ${step} is the step in progress; ${foldable(replayer, can)}`,
			);
	if (last < first)
		return refuse(
			"backwards",
			`step ${last} comes before step ${first}; end at step ${first} or later`,
		);
	if (first < can.first)
		return refuse(
			"compacted",
			`step ${first} was compacted away and is not in view; ${foldable(replayer, can)}`,
		);
	return undefined;
}

/** What can be folded at all. */
function foldable<M>(replayer: Replayer<M>, can: Span): string {
	if (can.last < can.first) return "no step can be folded yet";
	return told(unpinned(replayer, can)) ?? "no step can be folded now";
}

/** The steps that no pin keeps from being folded, in order. */
function unpinned<M>(replayer: Replayer<M>, can: Span): Span[] {
	const { steps, pins } = replayer;
	const inOrder = pins.map((pin) => spanOf(steps, pin)).sort((a, b) => a.first - b.first);
	const end = { first: can.last + 1, last: can.last + 1 };
	const found: Span[] = [];
	let { first } = can;
	for (const pin of [...inOrder, end]) {
		const span = { first, last: Math.min(pin.first - 1, can.last) };
		if (span.first <= span.last) found.push(span);
		first = Math.max(first, pin.last + 1);
	}
	// late results may lead on into a pin
	return found.filter(
		(span) => obstacleTo(replayer, rangeOf(steps, span), can.last)?.rule !== "pinned",
	);
}

function told(spans: readonly Span[]): string | undefined {
	return spans.length > 0 ? `${spans.map(steps).join(" or ")} can be folded` : undefined;
}

/** Says what stands against steps that do exist, and which starts and ends would work: all of them tried. */
export function refuseRange<M>(
	replayer: Replayer<M>,
	obstacle: Obstacle,
	asked: Span,
	can: Span,
): Refusal {
	const works = (first: number, last: number) =>
		can.first <= first &&
		first <= last &&
		last <= can.last &&
		!obstacleTo(replayer, rangeOf(replayer.steps, { first, last }), can.last);
	const widened = spanOf(replayer.steps, rangeOf(replayer.steps, asked));
	const named = obstacle.rule === "inside" ? widened : asked;
	const free = () => unpinned(replayer, can).filter(({ first, last }) => works(first, last));
	const wayOut =
		waysOut(obstacle, asked, works) ?? told(free()) ?? "no other start or end works now";
	return refuse(obstacle.rule, `${hindrance(obstacle, named)}; ${wayOut}`);
}

function hindrance(obstacle: Obstacle, asked: Span): string {
	const { first, last } = obstacle.steps;
	switch (obstacle.rule) {
		case "parted":
			return `a call of step ${first} is answered in step ${last}, and both fold together`;
		case "in-progress":
			return `a call of ${steps(asked)} is answered in step ${last}, which is not finished`;
		case "pinned":
			return `${steps(obstacle.steps)} ${first === last ? "is" : "are"} pinned by the user`;
		case "inside":
			return `${within(asked, obstacle.steps)} inside fold ${obstacle.fold.record.id} (${steps(obstacle.steps)})`;
	}
}

/** Which of the steps lie inside an older fold: all, or the start, or the end. */
function within(asked: Span, older: Span): string {
	if (asked.first < older.first) return `step ${asked.last} lies`;
	if (asked.last > older.last) return `step ${asked.first} lies`;
	return asked.first === asked.last ? `step ${asked.first} lies` : `${steps(asked)} lie`;
}

type Works = (first: number, last: number) => boolean;

/** What works instead: another start, another end, or all of it together. */
function waysOut(
	{ rule, steps: { first, last } }: Obstacle,
	asked: Span,
	works: Works,
): string | undefined {
	const starts = either("start at", [
		edge(first, -1, (step) => works(step, asked.last)),
		edge(last + 1, 1, (step) => works(step, asked.last)),
	]);
	const before = rule === "parted" ? last - 1 : first - 1;
	const ends = either("end at", [
		edge(before, -1, (step) => works(asked.first, step)),
		edge(last, 1, (step) => works(asked.first, step)),
	]);
	const whole = { first: Math.min(first, asked.first), last: Math.max(last, asked.last) };
	const ways = [starts, ends].filter((way) => way !== undefined);
	if (ways.length > 0) return ways.join("; or ");
	return works(whole.first, whole.last) ? `fold ${steps(whole)} together` : undefined;
}

/** A step that works, and whether the one beyond it does; `undefined`: it does not. */
function edge(
	step: number,
	direction: 1 | -1,
	works: (step: number) => boolean,
): string | undefined {
	if (!works(step)) return undefined;
	const beyond = direction === 1 ? "or later" : "or earlier";
	return works(step + direction) ? `step ${step} ${beyond}` : `step ${step}`;
}

function either(verb: string, ways: readonly (string | undefined)[]): string | undefined {
	const found = ways.filter((way) => way !== undefined);
	return found.length > 0 ? `${verb} ${found.join(", or at ")}` : undefined;
}

function steps({ first, last }: Span): string {
	return first === last ? `step ${first}` : `steps ${first}–${last}`;
}

function refuse(rule: Refusal["rule"], reason: string): Refusal {
	return { ok: false, rule, reason };
}
