// Laws 10 to 12: the words of a chip, a summary said once, and what undoes what.

import assert from "node:assert/strict";
import {
	type AnyRecord,
	type Entry,
	type Fold,
	foldContext,
	isPointer,
	type Replayer,
	type View,
} from "../../fold.ts";
import { textHost } from "../support/notation.ts";
import { type Branch, isReply, projection, within } from "./branch.ts";
import { type Law, replay } from "./world.ts";

/** Laws 10 to 12. */
export const CHIP_LAWS: readonly Law[] = [
	{
		sentence: "10: a chip's text depends on its own record and on the messages of its range only",
		check({ branch, replayer }) {
			const view = replayer.view();
			for (const fold of replayer.visible) {
				const chip = chipOf(view, fold.at);
				if (chip === undefined || fold.record.held) continue;
				const elsewhere = branch.map((entry, at) => otherwise(branch, fold, entry, at));
				assert.equal(chipOf(foldContext(elsewhere, textHost), fold.at), chip);
			}
		},
	},
	{
		sentence:
			"11: while a fold's chip is visible, its call's summary reads as a pointer to the chip",
		check({ branch, replayer }) {
			for (const [fold, pointer] of pointersIn(branch, replayer))
				if (fold.state === "landed")
					assert.equal(pointer, `(in the chip of fold ${fold.record.id})`);
		},
	},
	{
		sentence:
			"11: if it is absorbed, as a pointer to the outer fold; if it lies before the era, to the compaction",
		check({ branch, replayer }) {
			for (const [fold, pointer] of pointersIn(branch, replayer)) {
				const { id } = fold.record;
				const outer = fold.absorbedBy;
				// a held record that came in under a chip changed no byte, and so no call
				if (outer && (fold.landed || outer.at > fold.at))
					assert.equal(pointer, `(fold ${id}, now in the chip of fold ${outer.record.id})`);
				if (fold.reason === "before the era")
					assert.equal(pointer, `(fold ${id}, now in the summary of the compaction)`);
			}
		},
	},
	{
		sentence: "11: in every other state as the model wrote it",
		check({ branch, replayer }) {
			for (const [fold, pointer] of pointersIn(branch, replayer))
				if (
					["held", "open", "dropped"].includes(fold.state) ||
					(fold.state === "skipped" && fold.reason !== "before the era")
				)
					assert.equal(pointer, undefined);
		},
	},
	{
		sentence: "11: a pointer is told from a summary",
		check({ branch, replayer }) {
			for (const [, pointer] of pointersIn(branch, replayer))
				if (pointer !== undefined) assert.ok(isPointer(pointer));
		},
	},
	{
		sentence: "12: held then landed is the same as landed at once",
		check({ branch }) {
			for (const [at, { id, record }] of branch.entries()) {
				if (record?.kind !== "fold" || record.held || record.v === 0) continue;
				const { lands = [], ...fold } = record;
				const later = branch.flatMap((entry, i): readonly Entry<string>[] =>
					i === at
						? [
								{ id, kind: "record", record: { ...fold, held: true } },
								{ id: "", kind: "record", record: { kind: "land", ids: [record.id] } },
								{
									id: "",
									kind: "record",
									record: { kind: "land", ids: appliedLands(branch, at, lands) },
								},
							]
						: [entry],
				);
				equalViews(later, branch);
			}
		},
	},
	{
		sentence: "12: open and shut are inverse",
		check({ branch, replayer }) {
			for (const { record, state } of replayer.folds) {
				if (replayer.find(record.id)?.record !== record) continue;
				const turns = state === "open" ? ["shut", "open"] : ["open", "shut"];
				if (isOpened(branch, record.id) !== (state === "open")) continue;
				const records = turns.map((kind) => ({ kind, id: record.id }) as AnyRecord);
				equalViews([...branch, ...records.map(entryOf)], branch);
			}
		},
	},
	{
		sentence: "12: off means raw: no chip, no marker, no pointer",
		check({ branch }) {
			const marks = { folds: false, markers: false };
			const { messages } = foldContext(branch, textHost, { marks, asking: true });
			assert.deepEqual(
				messages,
				projection(branch).map((one) => one.message),
			);
		},
	},
];

/** The chip of a fold without its marker; `undefined`: it is not in view. */
function chipOf({ messages, sources }: View<string>, at: number): string | undefined {
	const index = sources.findIndex((source) => source.from === "chip" && source.fold.at === at);
	return messages[index]?.replace(/‹\d+›$/, "");
}

/** An entry that has nothing to do with a fold, changed; no other record is left. */
function otherwise(branch: Branch, fold: Fold, entry: Entry<string>, at: number): Entry<string> {
	if (entry.kind === "record" && at !== fold.at) return { id: entry.id, kind: "other" };
	const target = branch.findIndex((one) => one.id === entry.targetId);
	if (within(at, fold) || within(target, fold) || entry.message === undefined) return entry;
	return { ...entry, message: `${entry.message}, otherwise` };
}

/** Each fold with a call that is in view, and what that call's summary reads as. */
function pointersIn(branch: Branch, replayer: Replayer<string>): [Fold, string | undefined][] {
	const { messages, sources } = replayer.view();
	return replayer.folds.flatMap((fold): [Fold, string | undefined][] => {
		const { callId, id } = fold.record;
		// where two records have one id, nobody can tell whose pointer it is
		if (replayer.folds.some((other) => other !== fold && other.record.id === id)) return [];
		const caller = branch.findLastIndex((entry, at) => at < fold.at && isReply(entry));
		const shown = sources.findIndex((source) => source.from === "entry" && source.at === caller);
		const made = branch[caller]?.calls?.some((call) => call.id === callId);
		if (!made || shown < 0 || caller < fold.from) return [];
		// in a batch several folds may be of one call: only what is said of this one counts
		const said = [...(messages[shown] ?? "").matchAll(/\{([^}]*?): ([^}]*)\}/g)];
		const own = said.find(([, id, text = ""]) => id === callId && speaksOf(text, fold));
		return [[fold, own?.[2]]];
	});
}

/** Whether a pointer is a fold's own. One of another fold may name it too, as the fold around that one. */
function speaksOf(pointer: string, { record: { id } }: Fold): boolean {
	return pointer === `(in the chip of fold ${id})` || pointer.startsWith(`(fold ${id}, `);
}

/** What a fold lands is landed only where the fold itself can be replayed. */
function appliedLands(branch: Branch, at: number, lands: readonly string[]): readonly string[] {
	const fold = replay(branch.slice(0, at + 1)).folds.at(-1);
	const isSound = fold?.state !== "skipped" || fold.reason?.startsWith("it cuts");
	return isSound ? lands : [];
}

/** Whether a fold's newest turn opened it, also where something else hides that. */
function isOpened(branch: Branch, id: string): boolean {
	const turn = branch.findLast(
		({ record }) => (record?.kind === "open" || record?.kind === "shut") && record.id === id,
	);
	return turn?.record?.kind === "open";
}

function entryOf(record: AnyRecord): Entry<string> {
	return { id: "", kind: "record", record };
}

function equalViews(some: Branch, others: Branch): void {
	for (const asking of [false, true])
		assert.deepEqual(
			foldContext(some, textHost, { asking }).messages,
			foldContext(others, textHost, { asking }).messages,
		);
}
