// One random world: a session of several branches in a file that may break off, read back as both hosts show
// it, with neighbours of every kind. All laws hold of it.

import assert from "node:assert/strict";
import fc from "fast-check";
import { foldContext, type Source } from "../../fold.ts";
import type { Generation } from "../../src/session/branch.ts";
import type { SessionEntry } from "../../src/session/entry.ts";
import { parseSession } from "../../src/session/parse.ts";
import { SessionTree } from "../../src/session/tree.ts";
import type { Branch } from "../fold/branch.ts";
import { QUICK_LAWS } from "../fold/laws.ts";
import { anyChance, type Chance, World } from "../fold/world.ts";
import { ALIGN_LAWS, anyLag, Pass } from "../session/align-laws.ts";
import { type Neighbour, neighbour } from "../session/neighbour.ts";
import { anyTree } from "../support/arbitrary.ts";
import { textHost } from "../support/notation.ts";
import type { Node } from "../support/weaver.ts";
import { checkReading } from "./reading.ts";
import { sketch, storedEntries, writeSession } from "./session-text.ts";

const HOSTS: readonly Generation[] = ["0.73", "1.6"];

/** What is drawn for a world. */
export interface SessionWorld {
	readonly nodes: readonly Node[];
	/** where the file breaks off, as a share of its length; 1: it is whole */
	readonly cut: number;
	readonly chance: Chance;
	readonly acts: readonly Neighbour[];
	/** how many of its newest messages the branch lacks on the older host */
	readonly lag: number;
	/** whose reading of the branch the laws of the algebra are tried on */
	readonly host: Generation;
}

/** A world as it comes up; every third file breaks off. */
export const anySessionWorld: fc.Arbitrary<SessionWorld> = fc.record({
	nodes: anyTree,
	cut: fc.oneof(
		{ weight: 2, arbitrary: fc.constant(1) },
		{ weight: 1, arbitrary: fc.double({ min: 0, max: 1, noNaN: true }) },
	),
	chance: anyChance,
	acts: fc.array(neighbour, { maxLength: 6 }),
	lag: anyLag,
	host: fc.constantFrom(...HOSTS),
});

/** Tries every law on a world; throws where one is broken. */
export function checkWorld(world: SessionWorld): void {
	const branch = readBack(world);
	for (const host of HOSTS) {
		const pass = new Pass(branch, { ...world, host });
		for (const { sentence, check } of ALIGN_LAWS)
			within(`${sentence} (${host})`, () => check(pass));
		const sketched = sketch(pass.branch);
		checkSketch(pass, sketched, world.chance.asking);
		if (host === world.host) checkAlgebra(new World(sketched, world.chance));
	}
}

function checkAlgebra(algebra: World): void {
	for (const { sentence, check } of QUICK_LAWS) within(sentence, () => check(algebra));
}

/** Says which law it was that something broke. */
function within(sentence: string, check: () => void): void {
	try {
		check();
	} catch (error) {
		throw new Error(sentence, { cause: error });
	}
}

/** Writes the session, cuts it, reads it, and gives the branch that the file ends on. */
function readBack({ nodes, cut }: SessionWorld): SessionEntry[] {
	const written = storedEntries(nodes);
	const whole = Buffer.from(writeSession(written));
	const text = whole.subarray(0, Math.ceil(cut * whole.length)).toString("utf8");
	const session = parseSession(text);
	checkReading(text, session);
	const lines = text.split("\n").length - 1;
	const stored = written.slice(0, Math.max(0, lines - 1));
	const read = session.entries.filter(({ type }) => type !== "unknown");
	assert.deepEqual(
		read.slice(0, stored.length),
		stored,
		"whole lines are read as they were written",
	);
	assert.ok(read.length <= stored.length + 1, "nothing is made up");
	const tree = new SessionTree<SessionEntry>();
	for (const [at, entry] of session.entries.entries()) tree.add(entry, session.entryLines[at] ?? 0);
	const branch = tree.branch();
	assert.deepEqual(
		branch.map(({ id }) => id),
		pathTo(nodes, branch.at(-1)?.id),
	);
	return branch;
}

/** The ids from the root to an entry. */
function pathTo(nodes: readonly Node[], leaf: string | undefined): string[] {
	const parents = new Map(nodes.map(({ entry, parentId }) => [entry.id, parentId]));
	const path: string[] = [];
	for (let id: string | null | undefined = leaf; id; id = parents.get(id)) path.unshift(id);
	return path;
}

/** The view of what was read has the same shape in pi's messages as in the notation's. */
function checkSketch({ replayer }: Pass, sketched: Branch, asking: boolean): void {
	const ours = replayer.view({ asking });
	const theirs = foldContext(sketched, textHost, { asking });
	assert.deepEqual(ours.sources.map(nameOf), theirs.sources.map(nameOf));
}

function nameOf(source: Source): string {
	if (source.from === "chip") return `chip of ${source.fold.at}`;
	return source.from === "entry" ? `${source.at}` : source.from;
}
