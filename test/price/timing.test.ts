import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import { type CacheMemory, EMPTY, type LongestPrefix, serve } from "../../src/price/cache.ts";
import type { Sizes } from "../../src/price/cost.ts";
import { billTokens, DEFAULT_RATES } from "../../src/price/rate.ts";
import {
	type Candidate,
	decide,
	type HeldFold,
	landingPrice,
	type Moment,
	rentIsDue,
} from "../../src/price/timing.ts";

const { w, r } = DEFAULT_RATES;

const WARM: Moment = {
	timing: "auto",
	rates: DEFAULT_RATES,
	caches: true,
	cold: false,
	prompt: 100_000,
	window: 200_000,
	tierAbove: null,
};

/** "id P F T S": a fold whose whole prefix still hits */
function fold(row: string, more: Partial<Candidate> = {}): Candidate {
	const [id = "", ...numbers] = row.split(" ");
	const [P = 0, F = 0, T = 0, S = 0] = numbers.map(Number);
	return { id, sizes: { P, F, T, S, s: S }, H: P, ...more };
}

function held(row: string, more: Partial<HeldFold> = {}): HeldFold {
	return { ...fold(row), grown: 0, requests: 0, ...more };
}

/** "lands | holds": each landing as id:why */
function said(moment: Partial<Moment>, folds: HeldFold[], candidate?: Candidate): string {
	const { lands, holds } = decide({ ...WARM, ...moment }, folds, candidate);
	const landed = lands.map(({ id, why }) => `${id}:${why}`).join(" ");
	return `${landed} | ${holds.map(({ id }) => id).join(" ")}`.trim();
}

// at the end of the view: pays at once; mid-history: 34,500 to rewrite against 1,900 a request
const TAIL = fold("tail 80000 20000 500 1000");
const MIDDLE = fold("middle 50000 20000 30000 1000");

describe("what lands", () => {
	test("a fold at the end pays at once", () => assert.equal(said({}, [], TAIL), "tail:pays |"));
	test("a fold mid-history is held", () => assert.equal(said({}, [], MIDDLE), "| middle"));
	test("n* of 3 still lands, more than 3 does not", () => {
		// dC = 1.15·T − 2000 + 1250, ds = 1900
		const T = (3 * 1900 + 750) / 1.15;
		assert.equal(said({}, [], fold(`a 0 20000 ${T - 0.001} 1000`)), "a:pays |");
		assert.equal(said({}, [], fold(`a 0 20000 ${T + 0.001} 1000`)), "| a");
	});
	test("a fold lands that pays within as many requests as the cache has been warm for", () => {
		// dC = 34,500 + 1250 − 2000, ds = 1900: n* = 17.8
		assert.equal(said({ warm: 17 }, [], MIDDLE), "| middle");
		assert.equal(said({ warm: 18 }, [], MIDDLE), "middle:pays |");
		assert.equal(said({ warm: 18 }, [{ ...MIDDLE, grown: 0, requests: 2 }]), "middle:pays |");
	});
	test("the summary is spent already and does not hold a fold back", () => {
		const long = { ...TAIL, sizes: { ...TAIL.sizes, s: 4000 } };
		assert.equal(said({}, [], long), "tail:pays |");
	});
	test("`now` lands everything", () =>
		assert.equal(said({ timing: "now" }, [held("a 9 900 90000 9")], MIDDLE), "a:now middle:now |"));
	test("without a cache nothing waits", () =>
		assert.equal(said({ caches: false }, [held("a 9 900 90000 9")]), "a:no cache |"));
	test("nothing to decide, nothing said", () => assert.equal(said({ cold: true }, []), "|"));
});

describe("what is held lands together", () => {
	const waiting = [held("a 20000 5000 70000 500"), held("b 60000 5000 30000 500")];
	const rows: [string, Partial<Moment>, Candidate | undefined, string][] = [
		["not without an event", {}, undefined, "| a b"],
		["when the cache is cold", { cold: true }, undefined, "a:cold b:cold |"],
		["with a new one too", { cold: true }, MIDDLE, "a:cold b:cold middle:cold |"],
		["at 80 % of the window", { prompt: 160_000 }, undefined, "a:window b:window |"],
		["not below it", { prompt: 159_999 }, undefined, "| a b"],
		["not without a window", { prompt: 999_999, window: null }, undefined, "| a b"],
		["before a price tier", { prompt: 100_000, tierAbove: 95_000 }, undefined, "a:tier b:tier |"],
		["not where the tier is met anyway", { tierAbove: 90_000 }, undefined, "| a b"],
		["not below the tier", { tierAbove: 100_000 }, undefined, "| a b"],
		["at compaction", { event: "compaction" }, undefined, "a:compaction b:compaction |"],
		["when asked", { event: "asked" }, undefined, "a:asked b:asked |"],
	];
	for (const [name, moment, candidate, decision] of rows)
		test(name, () => assert.equal(said(moment, waiting, candidate), decision));
	test("a deeper cut takes along what starts behind it, not what starts before", () =>
		assert.equal(said({}, waiting, fold("c 50000 30000 2000 500")), "c:pays b:deeper cut | a"));
	test("a cut is priced with what it takes along", () => {
		const alone = fold("c 50000 20000 6500 500");
		assert.equal(said({}, [], alone), "| c");
		assert.equal(said({}, [held("b 72000 4000 500 200")], alone), "c:pays b:deeper cut |");
	});
});

describe("the rent rule: Σ ds plus the rise of dC reaches dC as it was then", () => {
	// dC as it was then: 1.15·10,000 + 1250 − 2000 = 10,750; ds = 1900
	const waits = (requests: number, grown: number) =>
		held(`a 50000 20000 ${10_000 + grown} 1000`, { requests, grown });
	const rows: [string, number, number, boolean][] = [
		["at first it waits", 0, 0, false],
		["five requests are not enough", 5, 0, false],
		["six are", 6, 0, true],
		["growth counts: 3 requests and 4,390 tokens", 3, 4390, false],
		["3 requests and 4,400 tokens", 3, 4400, true],
	];
	for (const [name, requests, grown, due] of rows)
		test(name, () => assert.equal(rentIsDue(waits(requests, grown), DEFAULT_RATES), due));
	test("the rent of one lands all", () =>
		assert.equal(
			said({}, [held("b 9 900 90000 9"), waits(6, 0)], MIDDLE),
			"b:rent a:rent middle:rent |",
		));
	test("it says how many requests are left", () => {
		const left = (one: HeldFold) => decide(WARM, [one]).holds[0]?.requestsLeft;
		assert.equal(left(waits(0, 0)), 6);
		assert.equal(left(waits(4, 0)), 2);
		assert.equal(left(waits(3, 3000)), 1);
		assert.equal(left(held("a 9 900 90000 900")), null);
	});
	test("fewer are left where the cache has been warm for nearly as many as it takes to pay", () => {
		const left = (warm: number) => decide({ ...WARM, warm }, [waits(0, 0)]).holds[0]?.requestsLeft;
		// dC / ds = 10,750 / 1900: n* = 5.66
		assert.equal(left(0), 6);
		assert.equal(left(4), 2);
		assert.equal(left(6), undefined);
	});
	test("a chip as large as its range never pays rent", () =>
		assert.equal(rentIsDue(held("a 9 900 90000 900", { requests: 999 }), DEFAULT_RATES), false));
	test("it lands before the cache's entry goes out of reach, while that is cheap", () => {
		const soon = { ...waits(2, 0), nextH: 3000 };
		assert.equal(rentIsDue(soon, DEFAULT_RATES), true);
	});
	test("it does not land at the moment when the entry is gone and landing has become dear", () =>
		assert.equal(rentIsDue({ ...waits(4, 0), H: 3000 }, DEFAULT_RATES), false));
});

/** A conversation's future: what each request adds, and how long it comes after the one before. */
const future = fc.array(
	fc.record({
		grows: fc.oneof(fc.nat({ max: 3000 }), fc.nat({ max: 60_000 })),
		// mostly within the cache's life
		waited: fc.oneof(
			{ weight: 9, arbitrary: fc.nat({ max: 280 }) },
			{ weight: 1, arbitrary: fc.integer({ min: 301, max: 9999 }) },
		),
	}),
	{ minLength: 1, maxLength: 60 },
);

describe("one fold, billed by a simulated cache", () => {
	const rules: LongestPrefix = {
		kind: "prefix",
		lifeMs: 300_000,
		minTokens: 1024,
		unit: 1,
		writes: true,
		replies: false,
	};
	const start = fc.record({
		P: fc.integer({ min: 2000, max: 150_000 }),
		F: fc.integer({ min: 500, max: 80_000 }),
		T: fc.nat({ max: 150_000 }),
		ratio: fc.double({ min: 0.01, max: 0.9, noNaN: true }),
	});
	/** A request; the first one only fills the cache, the fold is made before the second. */
	interface Step {
		readonly grows: number;
		readonly atMs: number;
		/** whether the cache is cold by then */
		readonly cold: boolean;
		/** what the request before it added */
		readonly grew: number;
	}
	const steps = future.map((ahead) => {
		let atMs = 0;
		return ahead.map(({ grows, waited }, at): Step => {
			atMs += waited * 1000;
			return { grows, atMs, cold: waited > 300, grew: ahead[at - 1]?.grows ?? 0 };
		});
	});

	/** The bill of the whole future; `landsAt`: before which request it lands. */
	function bill({ P, F, T, S }: Sizes, steps: readonly Step[], landsAt: number): number {
		let memory: CacheMemory = EMPTY;
		let after = T;
		let before = 0;
		const bills = [{ grows: 0, atMs: 0 }, ...steps].map(({ grows, atMs }, at) => {
			after += grows;
			const tokens = P + after + (at > landsAt ? S : F);
			const same = at === landsAt + 1 ? P : before;
			before = tokens;
			const prompt = { atMs, tokens, same, breakpoints: [tokens], reach: 0 };
			const served = serve(rules, memory, prompt);
			memory = served.memory;
			return billTokens({ ...served.parts, output: 0 }, DEFAULT_RATES);
		});
		return bills.slice(1).reduce((a, b) => a + b, 0);
	}

	/** Before which request `decide` lands it, where the cache has been warm for so long; -1: never. */
	function play(sizes: Sizes, steps: readonly Step[], already: number): number {
		let carried = 0;
		let warm = already;
		return steps.findIndex(({ grows, cold }, requests) => {
			const T = sizes.T + carried + grows;
			const one = { id: "a", sizes: { ...sizes, T }, H: sizes.P, fresh: grows };
			const waits = { ...one, grown: carried, requests };
			carried += grows;
			warm = cold ? 0 : warm + 1;
			const moment = { ...WARM, cold, warm, window: null };
			const { lands } = requests === 0 ? decide(moment, [], one) : decide(moment, [waits]);
			return lands.length > 0;
		});
	}

	test("held costs at most twice landing at once, plus one request", () => {
		let held = 0;
		fc.assert(
			fc.property(start, steps, fc.nat({ max: 20 }), ({ P, F, T, ratio }, future, warm) => {
				const sizes = { P, F, T, S: Math.floor(F * ratio), s: 0 };
				const landsAt = play(sizes, future, warm);
				// what it would cost if the range had vanished at no price
				const free = bill(sizes, future, -1);
				const once = bill(sizes, future, 0) - free;
				const cost = bill(sizes, future, landsAt < 0 ? Number.POSITIVE_INFINITY : landsAt) - free;
				const request = r * (F - sizes.S) + (w - r) * (future[landsAt]?.grew ?? 0);
				assert.ok(cost <= 2 * once + request + 1e-6, `${cost} against ${once}, ${request}`);
				if (landsAt > 0) held++;
			}),
			{ numRuns: 400 },
		);
		assert.ok(held > 50, `only ${held} held folds landed: the test shows nothing`);
	});
});

describe("several folds", () => {
	/** A view with folds that wait; each knows its price when it was made. */
	interface World {
		readonly view: number;
		/** where the next fold may start */
		readonly folded: number;
		readonly open: readonly (HeldFold & { readonly dC: number })[];
	}
	/** A fold to be made: how large, and how far its start is from where it may be. */
	const plan = fc.option(
		fc.record({ F: fc.integer({ min: 300, max: 20_000 }), skip: fc.nat({ max: 30_000 }) }),
		{ nil: null, freq: 2 },
	);

	function grow(world: World, grows: number): World {
		const open = world.open.map((one) => ({
			...one,
			sizes: { ...one.sizes, T: one.sizes.T + grows },
			grown: one.grown + grows,
		}));
		return { ...world, view: world.view + grows, open };
	}

	function make({ view, folded }: World, id: string, F: number, skip: number): Candidate | null {
		const P = folded + skip;
		if (P + F > view) return null;
		return { id, sizes: { P, F, T: view - P - F, S: Math.floor(F / 10), s: 0 }, H: P };
	}

	/** What landings take from the view between two places. */
	function gone(landed: readonly Candidate[], from: number, to: number): number {
		const inside = landed.filter(({ sizes }) => sizes.P >= from && sizes.P < to);
		return inside.reduce((sum, { sizes }) => sum + sizes.F - sizes.S, 0);
	}

	/** The world after the request: the landed are gone, the others have paid one rent. */
	function send(world: World, landed: readonly Candidate[]): World {
		const open = world.open
			.filter((one) => !landed.includes(one))
			.map((one) => {
				const P = one.sizes.P - gone(landed, 0, one.sizes.P);
				const T = one.sizes.T - gone(landed, one.sizes.P, world.view);
				return { ...one, sizes: { ...one.sizes, P, T }, H: P, requests: one.requests + 1 };
			});
		const folded = world.folded - gone(landed, 0, world.folded);
		return { view: world.view - gone(landed, 0, world.view), folded, open };
	}

	test("each by its own price: at most twice landing it at once, plus one request", () => {
		const request = fc.tuple(
			future.map((steps) => steps[0]),
			plan,
		);
		let held = 0;
		fc.assert(
			fc.property(fc.array(request, { maxLength: 60 }), (requests) => {
				let world: World = { view: 40_000, folded: 1500, open: [] };
				for (const [at, [step, wish]] of requests.entries()) {
					const { grows, waited } = step ?? { grows: 0, waited: 0 };
					world = grow(world, grows);
					const made = wish && make(world, `f${at}`, wish.F, wish.skip);
					const cold = waited > 300;
					const { lands } = decide({ ...WARM, cold, window: null }, world.open, made);
					if (made) {
						const { dC } = landingPrice(made, DEFAULT_RATES);
						const fresh = { ...made, grown: 0, requests: 0, dC };
						const folded = made.sizes.P + made.sizes.F;
						world = { ...world, folded, open: [...world.open, fresh] };
					}
					const landed = world.open.filter(({ id }) => lands.some((one) => one.id === id));
					for (const one of landed.filter(({ requests }) => requests > 0)) {
						held++;
						const price = landingPrice(one, DEFAULT_RATES);
						const cost = one.requests * price.ds + (cold ? 0 : price.dC);
						const more = price.ds + (w - r) * grows;
						assert.ok(cost <= 2 * one.dC + more + 1e-6, `${cost} against ${one.dC}`);
					}
					world = send(world, landed);
				}
			}),
			{ numRuns: 300 },
		);
		assert.ok(held > 100, `only ${held} held folds landed: the test shows nothing`);
	});
});
