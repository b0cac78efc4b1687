// One random world to try the laws of the algebra on. What several laws ask of a world is worked out once.

import fc from "fast-check";
import { type Hand, Replayer, type View, type Wish } from "../../fold.ts";
import { anyBranch, handOf, type Meddling, meddling } from "../support/arbitrary.ts";
import { freeze } from "../support/freeze.ts";
import { textHost } from "../support/notation.ts";
import { type Branch, countSteps, projection } from "./branch.ts";

/** A law: its sentence, and a check that throws where a world breaks it. */
export interface Law {
	readonly sentence: string;
	readonly check: (world: World) => void;
}

/** What is drawn for a world beside its branch. */
export interface Chance {
	/** what others did to the list before it came to us */
	readonly meddled: readonly Meddling[];
	/** whether a reply is asked for */
	readonly asking: boolean;
	/** which steps somebody wants to fold, of as many as there are */
	readonly from: number;
	readonly to: number | undefined;
	/** whether a run is live */
	readonly live: boolean;
}

/** What is drawn for a world beside its branch. */
export const anyChance: fc.Arbitrary<Chance> = fc.record({
	meddled: meddling,
	asking: fc.boolean(),
	from: fc.nat({ max: 99 }),
	to: fc.option(fc.nat({ max: 99 }), { nil: undefined }),
	live: fc.boolean(),
});

/** A branch, frozen, and all that the laws ask about it. */
export class World {
	readonly branch: Branch;
	readonly chance: Chance;
	private readonly prefixes: Replayer<string>[] = [];
	private readonly views = new Map<string, View<string>>();
	private handOnce: Hand<string> | undefined;

	constructor(branch: Branch, chance: Chance) {
		this.branch = freeze(branch);
		this.chance = chance;
	}

	/** The branch, replayed; not to be pushed to. */
	get replayer(): Replayer<string> {
		return this.at(this.branch.length);
	}

	/** Its first `length` entries, replayed anew; not to be pushed to. */
	at(length: number): Replayer<string> {
		const known = this.prefixes[length] ?? replay(this.branch.slice(0, length));
		this.prefixes[length] = known;
		return known;
	}

	/** The view of its first `length` entries. */
	viewAt(length: number, asking: boolean): View<string> {
		const key = `${length} ${asking}`;
		const known = this.views.get(key) ?? this.at(length).view({ asking });
		this.views.set(key, known);
		return known;
	}

	/** The list in hand, after others had it. */
	get hand(): Hand<string> {
		this.handOnce ??= handOf(projection(this.branch), this.chance.meddled, this.branch);
		return this.handOnce;
	}

	/** What somebody wants to fold; most of such steps exist. */
	get wish(): Wish {
		const { from, to, live } = this.chance;
		const count = countSteps(this.branch, this.branch.length);
		return {
			fromStep: 1 + (from % (count + 1)),
			toStep: to === undefined ? undefined : 1 + (to % (count + 1)),
			live,
		};
	}
}

/** A world as it comes up. */
export const anyWorld: fc.Arbitrary<World> = fc
	.tuple(anyBranch, anyChance)
	.map(([branch, chance]) => named(new World(branch, chance)));

/** A branch replayed from its root. */
export function replay(branch: Branch): Replayer<string> {
	const replayer = new Replayer(textHost);
	for (const entry of branch) replayer.push(entry);
	return replayer;
}

/** Shows a world entry by entry where a law fails. */
function named(world: World): World {
	Object.defineProperty(world, fc.toStringMethod, {
		value: () => `${fc.stringify(world.branch)}\n${fc.stringify(world.chance)}`,
	});
	return world;
}
