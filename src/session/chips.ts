// Chips that an earlier pass of ours left in a list, and what of the branch each message of such a list is.
// Pure; never edits a message.

import { type Entry, type Fold, isCarrier, isReply, type Replayer } from "../../fold.ts";
import type { Shown } from "./branch.ts";
import type { PiMessage } from "./entry.ts";
import { match } from "./match.ts";
import { countMarkers, foldOfChip, isNote, lastMarker, piHost } from "./message.ts";

/** Positions of a branch; half-open. */
type Range = Pick<Fold, "from" | "to">;

/** A chip of an earlier pass, and what it stands for. */
interface Chip {
	readonly message: PiMessage;
	/** the position of its fold's record */
	readonly fold: number;
	/** its place in the list */
	readonly index: number;
	readonly range: Range;
	/** positions of the range that are not under the chip, but right after it */
	readonly kept: readonly number[];
	/** the first reply of the range, if the list has its marker before the chip; else -1 */
	readonly asked: number;
	/** whether the range has a reply, shown or not */
	readonly hasReply: boolean;
}

/** The chips of an earlier pass in a list, and what is never under one. */
interface ChipsOfList {
	/** in the list's order; each fold's once */
	readonly chips: readonly Chip[];
	/** whether the entry at a position is never folded: a system message, a compaction */
	readonly isApart: (at: number) => boolean;
	/** the position of the reply that a result answers; -1: none */
	readonly answeredBy: (at: number) => number;
}

/** The chips in a list. */
export function chipsIn(
	list: readonly PiMessage[],
	replayer: Replayer<PiMessage> | undefined,
): ChipsOfList {
	const chips: Chip[] = [];
	// only what is seen has a chip
	let visible: Map<number, Fold> | undefined;
	let marked = NONE;
	for (const [index, message] of list.entries()) {
		const name = foldOfChip(message);
		if (name && replayer) {
			visible ??= new Map(replayer.visible.map((fold) => [fold.at, fold]));
			const fold = visible.get(name.at);
			if (fold?.record.id === name.id) {
				const asked = askedIn(replayer, fold, marked < 0 ? [] : list.slice(marked, index));
				const kept = replayer.kept(fold);
				const hasReply = findReply(replayer.steps, fold) >= 0;
				chips.push({ message, fold: name.at, index, range: fold, kept, asked, hasReply });
				visible.delete(name.at);
			}
		}
		if (lastMarker(message) !== undefined) marked = index;
	}
	const isApart = (at: number) => {
		const kind = replayer?.steps.entries[at]?.kind;
		return kind === "system" || kind === "compaction";
	};
	const answeredBy = (at: number) => replayer?.steps.answeredBy(at) ?? NONE;
	return { chips, isApart, answeredBy };
}

/** For each message of a list what the host shows of it; a chip is shown where its range begins for us. */
export function pairUp(
	projection: readonly Shown[],
	list: readonly PiMessage[],
	{ chips, isApart, answeredBy }: ChipsOfList,
): (Shown | undefined)[] {
	if (chips.length === 0) return pairPlain(projection, list);
	const covers = underChips(
		projection.filter(({ at }) => !isApart(at)),
		chips,
	);
	const pairs: (Shown | undefined)[] = list.map(() => undefined);
	const taken = new Set<number>();
	for (const { chip, covered } of covers) {
		// in the list they may stand before a system message that is further in front on the branch
		// others may have put more there
		const next = behind(list, chip, ({ role }) => role === "assistant");
		const kept = pairPlain(
			covered.filter(({ at }) => chip.kept.includes(at)),
			next,
		);
		const place = placeOf(chip, covered, kept, couldBear(behind(list, chip, isStep), chip));
		pairs[chip.index] = { at: place, message: chip.message };
		taken.add(chip.index);
		for (const [nth, shown] of kept.entries()) {
			if (!shown) continue;
			pairs[chip.index + 1 + nth] = shown;
			taken.add(chip.index + 1 + nth);
		}
	}
	const hidden = new Set(covers.flatMap(({ covered }) => covered.map(({ at }) => at)));
	const rest = [...list.keys()].filter((index) => !taken.has(index));
	const bounds = boundsIn(list, chips);
	const others = pairPlain(
		// the late result of a reply under a chip is there with it
		projection.filter(({ at }) => isApart(at) || !(hidden.has(at) || hidden.has(answeredBy(at)))),
		rest.map((index) => list[index] as PiMessage),
		(at, nth) => {
			const { from, to } = bounds[rest[nth] ?? NONE] ?? EVERYWHERE;
			// a compaction's message leads what is shown, and stands far behind it on the branch
			return isApart(at) || (from <= at && at < to);
		},
	);
	for (const [nth, index] of rest.entries()) pairs[index] = others[nth];
	return pairs;
}

/**
 * Between which positions each message of the list can stand: none that is before a chip comes after its range on
 * the branch, none behind it before its range. No bounds where others put chips into another order.
 */
function boundsIn(list: readonly PiMessage[], chips: readonly Chip[]): Range[] {
	const isInOrder = chips.every(({ range }, nth) => range.from >= (chips[nth - 1]?.range.to ?? 0));
	let passed = 0;
	return list.map((_, index) => {
		if (!isInOrder) return EVERYWHERE;
		while ((chips[passed]?.index ?? Number.POSITIVE_INFINITY) < index) passed++;
		return {
			from: chips[passed - 1]?.range.from ?? EVERYWHERE.from,
			to: chips[passed]?.range.to ?? EVERYWHERE.to,
		};
	});
}

const EVERYWHERE: Range = { from: 0, to: Number.POSITIVE_INFINITY };

/** What of a list stands behind a chip before the next chip, or the next message that ends it. */
function behind(
	list: readonly PiMessage[],
	{ index }: Chip,
	ends: (message: PiMessage) => boolean,
): readonly PiMessage[] {
	let end = index + 1;
	for (let message = list[end]; message && !foldOfChip(message); message = list[++end])
		if (ends(message)) break;
	return list.slice(index + 1, end);
}

/** @param mayBe whether a message of the list can be what is shown of this position */
function pairPlain(
	projection: readonly Shown[],
	list: readonly PiMessage[],
	mayBe?: (at: number, listed: number) => boolean,
): (Shown | undefined)[] {
	const known = projection.map((shown) => shown.message);
	const pair = (messages: readonly PiMessage[], indexOf: (nth: number) => number) =>
		match(
			known,
			messages,
			mayBe && ((found, nth) => mayBe(projection[found]?.at ?? NONE, indexOf(nth))),
		).map((found) => projection[found]);
	if (!list.some(isNote) || known.some(isNote)) return pair(list, (nth) => nth);
	// of equals the first or the last pair, as in a list that has no notes of ours between them
	const plain = [...list.entries()].filter(([, message]) => !isNote(message));
	const found = pair(
		plain.map(([, message]) => message),
		(nth) => plain[nth]?.[0] ?? NONE,
	);
	let nth = 0;
	return list.map((message) => (isNote(message) ? undefined : found[nth++]));
}

const NONE = -1;

/** A chip, and what of a projection stands in its range, kept messages too. */
interface Cover {
	readonly chip: Chip;
	readonly covered: Shown[];
}

/** The covers of chips, in branch order. */
function underChips(projection: readonly Shown[], chips: readonly Chip[]): Cover[] {
	const covers = chips
		.toSorted((a, b) => a.range.from - b.range.from)
		.map((chip): Cover => ({ chip, covered: [] }));
	let next = 0;
	for (const shown of projection) {
		while ((covers[next]?.chip.range.to ?? Number.POSITIVE_INFINITY) <= shown.at) next++;
		const cover = covers[next];
		if (cover && cover.chip.range.from <= shown.at) cover.covered.push(shown);
	}
	return covers;
}

/**
 * The position at which the algebra finds of the range what it found when it laid the chip out: the first
 * reply, where that was asked for before the chip, else the first message that can carry a marker. A range of
 * neither is known by a chip that shows no marker. Where nothing of the range is shown any more it is its start.
 *
 * @param kept what the list has of the positions that are kept
 * @param isCarrier whether the chip could bear a marker, as far as the list shows
 */
function placeOf(
	chip: Chip,
	covered: readonly Shown[],
	kept: readonly (Shown | undefined)[],
	isCarrier: boolean,
): number {
	if (chip.asked >= 0) return chip.asked;
	const [request] = chip.kept;
	// without the request nothing is kept: what follows it is under the chip like the rest
	const isKept = kept.some((shown) => shown?.at === request);
	const folded = covered.filter(({ at }) => (isKept ? !chip.kept.includes(at) : at !== request));
	const carrier = folded.find(({ message }) => CARRIERS.has(message.role));
	const other = folded.find(({ message }) => !CARRIERS.has(message.role));
	const first = isCarrier || chip.hasReply ? (carrier ?? other) : (other ?? carrier);
	return (first ?? covered[0])?.at ?? chip.range.from;
}

/**
 * Whether a chip bears a marker, or has left it to a message behind it and a note stands behind that: behind a chip
 * of no carrier, which answers no call, none would where one waits for its result.
 */
function couldBear(next: readonly PiMessage[], { message }: Chip): boolean {
	if (countMarkers(message) > 0) return true;
	const marked = next.find((one) => lastMarker(one) !== undefined);
	return marked !== undefined && !isNote(marked) && next.some(isNote);
}

/** Whether a message is a reply that counts. */
function isStep(message: PiMessage): boolean {
	return piHost.kind(message) === "assistant";
}

const CARRIERS: ReadonlySet<string> = new Set(["assistant", "user", "toolResult"]);

/** @param before what of the list stands before the chip, from the newest message with a marker on */
function askedIn(
	replayer: Replayer<PiMessage>,
	{ from, to }: Fold,
	[marked, ...since]: readonly PiMessage[],
): number {
	const { steps } = replayer;
	const reply = findReply(steps, { from, to });
	if (!marked || reply < 0 || from < steps.era.start) return NONE;
	if (lastMarker(marked) !== steps.stepAt(from)) return NONE;
	const isAskedInside = steps.entries.slice(from, reply).some(({ kind }) => isCarrier(kind));
	if (!isAskedInside) return reply;
	let before = from - 1;
	while (before >= steps.era.start && !isReply(steps.kindAt(before))) before--;
	const isAgain = before >= steps.era.start && steps.kindAt(before) === "attempt";
	// the next reply repeats an attempt's number: the marker is the attempt's if something since could bear one
	return isAgain &&
		since.some((message) => mayCarry(replayer, message, { from: before + 1, to: from }))
		? NONE
		: reply;
}

/** Whether a message would have been given the marker of a reply that was asked for at the end of a range. */
function mayCarry(
	{ steps, visible }: Replayer<PiMessage>,
	message: PiMessage,
	{ from, to }: Range,
): boolean {
	const isOf = (range: Range, is: (entry: Entry<PiMessage>) => boolean) =>
		steps.entries.slice(range.from, range.to).some(is);
	const name = foldOfChip(message);
	if (!name)
		return isOf({ from, to }, (entry) => isCarrier(entry.kind) && isSame(entry.message, message));
	const fold = visible.find(({ at }) => at === name.at);
	return (
		fold !== undefined &&
		fold.to >= from &&
		isOf(fold, ({ kind }) => isReply(kind) || isCarrier(kind))
	);
}

/** The position of the first reply of a range; -1 if it has none. */
function findReply({ entries }: Replayer<PiMessage>["steps"], { from, to }: Range): number {
	const reply = entries.slice(from, to).findIndex(({ kind }) => isReply(kind));
	return reply < 0 ? -1 : from + reply;
}

function isSame(known: PiMessage | undefined, message: PiMessage): boolean {
	return known !== undefined && match([known], [message])[0] === 0;
}
