// The slow, obvious view of a branch: a second implementation, written from the design and its examples and
// not from the code it checks. Fresh for every call, pairwise and quadratic, without any state.

import {
	chipText,
	type FoldRecord,
	formatStep,
	type Host,
	type Marks,
	type Source,
} from "../../fold.ts";
import {
	type Branch,
	callOf,
	compactionOf,
	countSteps,
	editedMessage,
	eraStart,
	isMessage,
	isReply,
	positions,
	takenBy,
	within,
} from "./branch.ts";
import { foldsOf, type OracleFold } from "./oracle-folds.ts";
import { nudgeOf } from "./oracle-nudge.ts";

export interface OracleView {
	readonly messages: string[];
	/** the position of an entry, or the id of a fold, or what else it is */
	readonly sources: string[];
	readonly folds: OracleFold[];
}

export interface OracleAsked {
	readonly asking?: boolean;
	readonly marks?: Marks;
	readonly hand?: { readonly list: readonly string[]; readonly at: readonly number[] } | undefined;
}

/** An id may be given twice. */
function nameFold({ record, at }: { readonly record: FoldRecord; readonly at: number }): string {
	return `${record.id} of ${at}`;
}

/** Sources as the oracle names them, to compare with. */
export function nameSource(source: Source): string {
	if (source.from === "entry") return `${source.at}`;
	return source.from === "chip" ? nameFold(source.fold) : source.from;
}

/** One thing of the view in the making. */
interface Item {
	message: string;
	readonly source: string;
	/** takes a marker */
	readonly carries?: boolean;
	readonly chip?: boolean;
	/** where on the branch, for one whose marker may name steps to fold */
	readonly at?: number;
	/** the reply that was asked for before it: it is that reply, or a chip that begins with it */
	readonly step?: number | undefined;
	/** a reply or a chip: what comes before it belongs to an earlier reply */
	readonly ends?: boolean;
	/** a compaction's message, or a system message that nothing else stands before */
	readonly leads?: boolean;
	/** a note never stands before it: a foreign result */
	readonly answers?: boolean;
	/** a reply that the host does not show: nothing of it is sent */
	readonly ghost?: boolean;
	/** taken out of the list by a neighbour: it gets no note */
	readonly takenOut?: boolean;
	/** a reply or an attempt: its position, shown or not */
	readonly reply?: number;
}

/** The view of a branch, as the laws and examples say. */
export function oracle(branch: Branch, host: Host<string>, asked: OracleAsked = {}): OracleView {
	const marks = asked.marks ?? { folds: true, markers: true };
	const folds = foldsOf(branch);
	const visible = marks.folds ? folds.filter((fold) => fold.state === "landed") : [];
	const items = itemsOf({
		branch,
		host,
		visible,
		folds: marks.folds ? folds : [],
		hand: asked.hand,
	});
	if (asked.asking) {
		const step = countSteps(branch, branch.length) + 1;
		items.push({ message: "", source: "", step, ends: true, ghost: true });
	}
	const markerOn = (item: Item, step: number) => {
		const { at } = item;
		const { nudgeAt } = marks;
		const nudge = nudgeAt === undefined || at === undefined ? "" : nudgeOf(branch, at, nudgeAt);
		return `${formatStep(step)}${nudge ? ` ${nudge}` : ""}`;
	};
	if (marks.markers)
		for (const item of [...items])
			if (item.step) putMarker(items, item, { branch, host, markerOn });
	const sent = items.filter((item) => !item.ghost);
	return {
		messages: sent.map((item) => item.message),
		sources: sent.map((item) => item.source),
		folds,
	};
}

// --- markers

interface Pen {
	readonly branch: Branch;
	readonly host: Host<string>;
	/** the marker of a step on a message */
	readonly markerOn: (item: Item, step: number) => string;
}

/** Puts the marker of a reply before it, unless its number stands there already. */
function putMarker(items: Item[], asked: Item, pen: Pen): void {
	const { host, markerOn } = pen;
	const step = asked.step ?? 0;
	const index = items.indexOf(asked);
	for (let i = index - 1; i >= 0; i--) {
		const item = items[i];
		if (item?.carries) {
			item.message = host.mark(item.message, markerOn(item, step));
			return;
		}
		if (item?.ends) break;
	}
	const before = items.slice(0, index);
	if (newestMarker(before) === asked.step || asked.takenOut) return;
	if (isAnswerDue(before, pen)) return;
	items.splice(placeOfNote(before), 0, {
		message: host.note(formatStep(step)),
		source: "note",
	});
}

/** Behind the last reply, chip of steps, answer or lead; a reply that is not there stands before what others put in. */
function placeOfNote(before: readonly Item[]): number {
	const isOwn = (item: Item) => !item.ghost && item.source !== "foreign";
	const places = before.map((item, i) => {
		if (item.ghost) return before.slice(0, i).findLastIndex(isOwn) + 1;
		return item.ends || item.leads || item.answers ? i + 1 : 0;
	});
	return Math.max(0, ...places);
}

function newestMarker(items: readonly Item[]): number | undefined {
	const numbers = items.flatMap((item) => /‹(\d+)›$/.exec(item.message)?.[1] ?? []);
	return numbers.length ? Number(numbers.at(-1)) : undefined;
}

/** Whether a call since the last reply that counts, or chip of steps, has no result yet: a note would part the two. */
function isAnswerDue(before: readonly Item[], { branch, host }: Pen): boolean {
	const isStep = ({ reply = -1, ghost }: Item) => !ghost && branch[reply]?.kind === "assistant";
	const start = before.findLastIndex((item) => (item.chip && item.carries) || isStep(item));
	const since = before.slice(Math.max(0, start));
	const callsOf = ({ reply = -1, ghost }: Item) => (ghost ? [] : (branch[reply]?.calls ?? []));
	const calls: { readonly id: string }[] = [];
	const answer = (id: string) => {
		const at = calls.findIndex((call) => call.id === id);
		if (at >= 0) calls.splice(at, 1);
	};
	for (const item of since) {
		calls.push(...callsOf(item));
		// a result that another extension put before the call answers an older one
		if (item.answers) answer(host.callId(item.message) ?? "");
		const entry = branch[item.at ?? -1];
		if (entry?.kind === "result") answer(entry.callId ?? "");
	}
	return calls.length > 0;
}

// --- what is shown

interface Shown {
	readonly branch: Branch;
	readonly host: Host<string>;
	readonly visible: readonly OracleFold[];
	readonly folds: readonly OracleFold[];
	readonly hand: OracleAsked["hand"];
}

function itemsOf(shown: Shown): Item[] {
	const { branch, hand } = shown;
	const items: Item[] = [];
	if (hand) addHand(items, shown);
	else {
		const compaction = compactionOf(branch);
		const lead = branch[compaction];
		for (const message of [lead?.head, lead?.message])
			if (message !== undefined) items.push(leadItem(message, compaction));
		for (let at = eraStart(branch); at < branch.length; at++) add(items, shown, at);
	}
	return items;
}

function addHand(items: Item[], shown: Shown): void {
	const { branch, hand } = shown;
	let next = eraStart(branch);
	let last = -1;
	for (const [i, message] of (hand?.list ?? []).entries()) {
		const at = hand?.at[i] ?? -1;
		if (at < 0) addForeign(items, shown, message, last);
		else if (at === compactionOf(branch)) items.push(leadItem(message, compactionOf(branch)));
		else for (; next <= at; next++) add(items, shown, next);
		last = Math.max(last, at);
	}
	for (; next < branch.length; next++) add(items, shown, next);
}

function leadItem(message: string, at: number): Item {
	return { message, source: `${at}`, leads: true };
}

function addForeign(items: Item[], shown: Shown, message: string, after: number): void {
	const kind = shown.host.kind(message);
	const call = kind === "result" ? nearestCall(shown, message, after) : -1;
	if (shown.visible.some((fold) => within(call, fold))) return;
	const leads = kind === "system" && isHead(items);
	items.push({ message, source: "foreign", leads, answers: kind === "result" });
}

function nearestCall({ branch, host }: Shown, message: string, after: number): number {
	const callId = host.callId(message);
	return branch.findLastIndex(
		(entry, at) => at <= after && !!callId && entry.calls?.some((call) => call.id === callId),
	);
}

/** Whether what comes now still leads the view. */
function isHead(items: readonly Item[]): boolean {
	return items.at(-1)?.leads ?? items.length === 0;
}

function add(items: Item[], shown: Shown, at: number): void {
	const { branch } = shown;
	const entry = branch[at];
	if (!entry || !isMessage(entry)) return;
	if (entry.kind === "system" && at < compactionOf(branch)) return;
	const message = messageAt(shown, at);
	const fold = entry.kind === "system" ? undefined : shown.visible.find((one) => within(at, one));
	const isShown = (other: number) => messageAt(shown, other) !== undefined;
	const calls = [callOf(branch, at), takenBy(branch, at, isShown)];
	const goes = (one: OracleFold) => calls.some((call) => within(call, one));
	if (fold) addFolded(items, shown, fold, message);
	else if (shown.visible.some((one) => goes(one) && stands(shown, one))) return;
	else if (isReply(entry)) items.push(replyItem(shown, at, message));
	else if (message !== undefined)
		items.push({ ...messageItem(shown, at, message, isHead(items)), at });
}

/** Whether a chip stands at all: some message of its range is there. */
function stands(shown: Shown, fold: OracleFold): boolean {
	return positions(fold).some((at) => {
		const entry = shown.branch[at];
		const isThere = isMessage(entry) && entry?.kind !== "system" && at >= eraStart(shown.branch);
		return isThere && messageAt(shown, at) !== undefined;
	});
}

/** Whether the branch itself shows any message of a fold. */
function isShown(branch: Branch, fold: OracleFold): boolean {
	return positions(fold).some((at) => {
		const isThere = isMessage(branch[at]) && branch[at]?.kind !== "system";
		return isThere && at >= eraStart(branch) && editedMessage(branch, at) !== undefined;
	});
}

function messageItem({ branch }: Shown, at: number, message: string, isFirst: boolean): Item {
	const kind = branch[at]?.kind;
	const leads = kind === "system" && isFirst;
	return { message, source: `${at}`, carries: kind === "user" || kind === "result", leads };
}

function replyItem(shown: Shown, at: number, message: string | undefined): Item {
	const place = { step: countSteps(shown.branch, at) + 1, ends: true, reply: at };
	if (message === undefined) {
		const { branch } = shown;
		const takenOut = branch[at]?.kind === "assistant" && editedMessage(branch, at) !== undefined;
		return { message: "", source: "", ghost: true, takenOut, ...place };
	}
	return { message: pointed(shown, at, message), source: `${at}`, ...place };
}

/** The chip stands at the first message of its range that is there, with what it keeps right after it. */
function addFolded(
	items: Item[],
	shown: Shown,
	fold: OracleFold,
	message: string | undefined,
): void {
	const { record } = fold;
	const name = nameFold(fold);
	const step = firstStep(shown, fold);
	if (step !== undefined && !items.some((item) => item.source === `start of ${name}`)) {
		const takenOut = isShown(shown.branch, fold) && !stands(shown, fold);
		items.push({
			message: "",
			source: `start of ${name}`,
			step,
			ends: true,
			ghost: true,
			takenOut,
		});
	}
	if (message === undefined || items.some((item) => item.source === name)) return;
	const carries = hasCarrier(shown, fold);
	const text = shown.host.chip(chipOf(shown, fold), { id: record.id, at: fold.at });
	items.push({ message: text, source: name, carries, ends: carries, chip: true });
	for (const at of keptOf(shown, fold))
		items.push(messageItem(shown, at, messageAt(shown, at) ?? "", false));
}

/** The number of the first reply in the range, if its marker stood before the range. */
function firstStep(shown: Shown, fold: OracleFold): number | undefined {
	const { branch } = shown;
	if (fold.from < eraStart(branch)) return undefined;
	const first = positions(fold).find((at) => isReply(branch[at]) || isCarrierAt(shown, at));
	return first !== undefined && isReply(branch[first]) ? countSteps(branch, first) + 1 : undefined;
}

function hasCarrier(shown: Shown, fold: OracleFold): boolean {
	return positions(fold).some((at) => isReply(shown.branch[at]) || isCarrierAt(shown, at));
}

function isCarrierAt(shown: Shown, at: number): boolean {
	const kind = shown.branch[at]?.kind;
	const isInEra = at >= eraStart(shown.branch);
	return (kind === "user" || kind === "result") && isInEra && messageAt(shown, at) !== undefined;
}

function keptOf(shown: Shown, fold: OracleFold): number[] {
	const { branch } = shown;
	const keep = branch.findIndex((entry) => entry.id === fold.record.keep);
	const start = eraStart(branch);
	if (!within(keep, fold) || keep < start || branch[keep]?.kind !== "user") return [];
	if (messageAt(shown, keep) === undefined) return [];
	const kept = [keep];
	for (const at of positions(fold)) {
		if (at <= keep) continue;
		if (branch[at]?.kind === "custom") kept.push(at);
		else if (isMessage(branch[at])) break;
	}
	return kept.filter((at) => messageAt(shown, at) !== undefined);
}

function chipOf(shown: Shown, fold: OracleFold): string {
	const { branch, host } = shown;
	const start = eraStart(branch);
	const [keep] = keptOf(shown, fold);
	const words: string[] = [];
	let tokens = 0;
	for (const at of positions(fold)) {
		const entry = branch[at];
		const kind = entry?.kind;
		if (isMessage(entry) && kind !== "system") tokens += entry?.tokens ?? 0;
		const said = messageAt(shown, at) ?? editedMessage(branch, at);
		if ((kind !== "user" && kind !== "bash") || at === keep || at < start || said === undefined)
			continue;
		const quote = host.words(said);
		if (quote !== undefined) words.push(quote);
	}
	const first = countSteps(branch, fold.from) + 1;
	const last = countSteps(branch, fold.to);
	const keptAfterStep = keep === undefined ? undefined : countSteps(branch, keep);
	return chipText(fold.record, { tokens, words, steps: { first, last }, keptAfterStep });
}

function pointed(shown: Shown, at: number, message: string): string {
	let result = message;
	for (const fold of shown.folds) {
		const { callId, id } = fold.record;
		const caller = shown.branch.findLastIndex((one, i) => i < fold.at && isReply(one));
		if (caller !== at || !callId || caller < fold.from) continue;
		if (!shown.branch[caller]?.calls?.some((call) => call.id === callId)) continue;
		const text = pointer(fold, id);
		if (text) result = shown.host.point(result, callId, text);
	}
	return result;
}

function pointer(fold: OracleFold, id: string): string | undefined {
	if (fold.state === "landed") return `(in the chip of fold ${id})`;
	if (fold.state === "absorbed" && fold.pointsOut)
		return `(fold ${id}, now in the chip of fold ${fold.absorbedBy})`;
	return fold.state === "skipped" && fold.absorbedBy === "era"
		? `(fold ${id}, now in the summary of the compaction)`
		: undefined;
}

function messageAt({ branch, hand }: Shown, at: number): string | undefined {
	if (!hand) return editedMessage(branch, at);
	const index = hand.at.indexOf(at);
	return index < 0 ? undefined : hand.list[index];
}
