// Every fold record of a file with what became of it: where it stands now, what it replaced, and what its
// landing did to the usage that the provider reported.

import type { Fold, FoldRecord } from "../../fold.ts";
import type { BranchWalk } from "./branch-walk.ts";
import { effectsOfFolds } from "./fold-effects.ts";
import type { FoldWalk, Landing } from "./fold-walk.ts";
import type { Intake } from "./intake.ts";
import type { FoldRow } from "./profile.ts";

/** The rows in file order. */
export function rowsOfFolds(
	intake: Intake,
	walk: Pick<BranchWalk, "path">,
	found: FoldWalk,
): FoldRow[] {
	if (!intake.hasRecords) return [];
	const here = new Map(found.folds.map((fold) => [walk.path[fold.at], fold]));
	const landings = firstLandings(found);
	const effects = effectsOfFolds(intake, walk, { folds: found.folds, sizes: landings });
	const onBranch = new Uint8Array(intake.tree.nodes.length);
	for (const at of walk.path) onBranch[at] = 1;
	const rows: FoldRow[] = [];
	for (const [at, { id, record }] of intake.tree.nodes.entries()) {
		if (record?.kind === "broken" && record.of === "fold")
			rows.push(brokenRow(id, record.reason, onBranch[at] === 1));
		if (record?.kind !== "fold") continue;
		const fold = here.get(at);
		const landing = fold && landings.get(fold);
		const effect = fold && effects.get(fold);
		rows.push({
			...recordFields(record),
			...stateFields(fold),
			firstRequest: landing && landing.request >= 0 ? landing.request + 1 : null,
			removedTokens: landing?.removed ?? null,
			summaryTokens: landing?.chip ?? null,
			verified: null,
			// what did not land keeps what its own record says
			predicted: effect ? effect.predicted : (record.predicted ?? null),
			measured: effect?.measured ?? null,
		});
	}
	return rows;
}

/** By fold the first landing that was sent, else the first: a chip may come into view again. */
function firstLandings({ landings }: FoldWalk): ReadonlyMap<Fold, Landing> {
	const first = new Map<Fold, Landing>();
	for (const landing of landings) {
		const before = first.get(landing.fold);
		if (!before || (before.request < 0 && landing.request >= 0)) first.set(landing.fold, landing);
	}
	return first;
}

/** For each of the rows its record; undefined where that could not be read. */
export function recordsOfFolds({ tree }: Intake): (FoldRecord | undefined)[] {
	const records: (FoldRecord | undefined)[] = [];
	for (const { record } of tree.nodes)
		if (record?.kind === "fold") records.push(record);
		else if (record?.kind === "broken" && record.of === "fold") records.push(undefined);
	return records;
}

function recordFields(record: FoldRecord) {
	return {
		id: record.id,
		by: record.by ?? null,
		fromStep: record.fromStep ?? null,
		toStep: record.toStep ?? null,
		fromEntryId: record.fromEntryId,
		toEntryId: record.toEntryId,
	};
}

function stateFields(fold: Fold | undefined): Pick<FoldRow, "state" | "reason" | "absorbedBy"> {
	if (!fold) return { state: "elsewhere", reason: null, absorbedBy: null };
	return {
		state: fold.state,
		reason: fold.reason ?? null,
		absorbedBy: fold.absorbedBy?.record.id ?? null,
	};
}

/** A record that says too little to be a fold still is one that was made. */
function brokenRow(id: string, reason: string, here: boolean): FoldRow {
	return {
		id,
		by: null,
		fromStep: null,
		toStep: null,
		fromEntryId: "",
		toEntryId: null,
		state: here ? "skipped" : "elsewhere",
		reason: here ? `unreadable: ${reason}` : null,
		absorbedBy: null,
		firstRequest: null,
		removedTokens: null,
		summaryTokens: null,
		verified: null,
		predicted: null,
		measured: null,
	};
}
