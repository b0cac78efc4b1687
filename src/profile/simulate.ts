// Plays a tape under a policy: request by request, what would have been sent, what the cache would have
// served of it and what that would have cost. Numbers in, numbers out.

import { hitAfter, isCold } from "../price/cache.ts";
import { tierAt } from "../price/rate.ts";
import { type Candidate, decide, type HeldFold } from "../price/timing.ts";
import { Gathering, type Policy, type Ranged } from "./policy.ts";
import { type Surprises, Till } from "./simulate-till.ts";
import { type Laid, View } from "./simulate-view.ts";
import type { Limits } from "./what-if-era.ts";
import type { Request, Tape } from "./what-if-tape.ts";
import { CHIP, FRAME, netTokens, summaryOf, type Terms } from "./what-if-terms.ts";

/** What a policy would have done to a session. */
export interface Played {
	/** by request, in tokens of uncached input of its model */
	readonly bills: Float64Array;
	/** by request, in US dollars; NaN where its model has no price */
	readonly usd: Float64Array;
	/** the largest prompt, in tokens */
	readonly peak: number;
	/** every fold that was made */
	readonly folds: readonly Laid[];
	/** requests before which folds landed */
	readonly landings: number;
	/** kept compactions that the context of this policy would not have called for */
	readonly avoided: number;
	/** tokens that went with a compaction and that no fold keeps readable */
	readonly lost: number;
}

/** Plays one session under one policy. */
export function play(tape: Tape, policy: Policy, terms: Terms, surprises: Surprises): Played {
	return new Player(tape, policy, terms, surprises).play();
}

/** A held fold, and what its rent is reckoned from. */
interface Waiting {
	readonly fold: Laid;
	/** T − fresh when it was recorded, in tokens */
	readonly carried: number;
	/** requests since */
	requests: number;
}

class Player {
	private readonly tape: Tape;
	private readonly policy: Policy;
	private readonly terms: Terms;
	private readonly surprises: Surprises;
	private readonly limits: Limits;
	/** by item: the newest request whose prompt ended there, by position */
	private readonly ends = new Map<number, number>();
	private readonly view: View;
	private readonly till: Till;
	private readonly gathering: Gathering | undefined;
	private readonly folds: Laid[] = [];
	private waiting: Waiting[] = [];
	/** ranges that gathered and are not proposed yet */
	private pending: Ranged[] = [];
	private ranges = 0;
	private landings = 0;
	private avoided = 0;
	private lost = 0;
	/** tokens of the newest prompt and its reply */
	private context = 0;
	/** requests since the cache was last cold */
	private warm = 0;
	/** tokens of summaries written with the newest reply */
	private written = 0;
	/** what was asked beside the session's own requests */
	private extra = { bill: 0, usd: 0 };
	/** the first request whose prompt ends behind the newest landing, by position */
	private intact = 0;
	private before: Request | undefined;

	constructor(tape: Tape, policy: Policy, terms: Terms, surprises: Surprises) {
		this.tape = tape;
		this.policy = policy;
		this.terms = terms;
		this.surprises = surprises;
		this.limits = terms.limits(tape);
		for (const [i, { to }] of tape.requests.entries()) this.ends.set(to, i);
		this.view = new View(tape);
		this.till = new Till(tape, terms);
		if ("tokens" in policy) this.gathering = new Gathering(tape, terms, policy.tokens);
	}

	play(): Played {
		const { requests } = this.tape;
		const bills = new Float64Array(requests.length);
		const usd = new Float64Array(requests.length);
		let peak = 0;
		for (const [i, request] of requests.entries()) {
			this.prepare(request, i);
			const { view } = this;
			const tokens = view.sizeOf(request);
			const receipt = this.till.serve({
				request,
				tokens,
				reach: view.reachOf(request),
				missed: view.offsetOfRaw(request, this.surprises.missed[i] ?? Number.NaN),
				hit: view.offsetOfRaw(request, this.surprises.hit[i] ?? Number.NaN),
			});
			const gone = this.policy.kind === "oracle" ? this.goneOf(request) : 0;
			const { bill, usd: dollars } =
				gone > 0 ? this.till.without(request, receipt.parts, gone) : receipt;
			const summaries = this.till.billOf(request, NOTHING, this.written);
			peak = Math.max(peak, tokens - gone);
			this.context = tokens - gone + request.output;
			bills[i] = bill + summaries.bill + this.extra.bill;
			usd[i] = dollars + summaries.usd + this.extra.usd;
			this.written = 0;
			this.extra = { bill: 0, usd: 0 };
			for (const one of this.waiting) one.requests++;
			this.warm++;
			// what was written anew has no entry within but its end
			if (receipt.parts.cacheRead <= this.tape.head) this.intact = i;
			this.before = request;
		}
		const { folds, landings, avoided, lost } = this;
		return { bills, usd, peak, folds, landings, avoided, lost };
	}

	/** What happens to the view between the request before and this one. */
	private prepare(request: Request, at: number): void {
		if (this.isColdAt(request)) this.warm = 0;
		if (request.compacted) this.compact(request, at);
		this.till.cut(request.same);
		switch (this.policy.kind) {
			case "recorded":
				this.replay(request, at);
				break;
			case "suffix":
				this.landAll(this.gather(request), request, at);
				break;
			case "batch": {
				this.pending.push(...this.ranged(request));
				if (this.pending.length < this.policy.ranges) break;
				this.landAll(
					this.pending.map((range) => this.make(range, request)),
					request,
					at,
				);
				this.pending = [];
				break;
			}
			case "cold":
				this.hold(this.gather(request), request);
				if (this.isColdAt(request)) this.landAll(this.view.held, request, at);
				break;
			case "auto":
				this.time(request, at);
				break;
			case "net":
				this.net(request, at);
				break;
			default:
				break;
		}
	}

	/** A compaction of the recording is kept under every policy; held folds land with it, as far as they stay. */
	private compact(request: Request, at: number): void {
		const from = this.before?.from ?? 0;
		if (this.isAvoidable()) this.avoided++;
		this.lost += this.view.unfolded(this.folds, from, request.from);
		if (this.policy.kind === "compact") this.summarise(request, from);
		this.till.cut(this.tape.head);
		for (const fold of this.view.held) this.view.land(fold);
		this.view.compact(request);
		this.waiting = [];
		this.pending = this.pending.filter((range) => range.from >= request.from);
		this.intact = at;
	}

	/** One that the size of the recorded context called for, and that of this one would not have. */
	private isAvoidable(): boolean {
		const called = PRESSING * this.limits.threshold;
		const recorded = this.before ? this.before.prompt + this.before.output : 0;
		return recorded >= called && this.context < called;
	}

	/** pi's call: what goes is sent once more, as text that no cache knows, and the summary is its output. */
	private summarise(request: Request, from: number): void {
		const { items } = this.tape;
		const gone = (items[request.from]?.offset ?? 0) - (items[from]?.offset ?? 0);
		const input = gone + (this.before?.lead ?? 0);
		const parts = { input, cacheRead: 0, cacheWrite: 0 };
		const { bill, usd } = this.till.billOf(request, parts, request.lead);
		this.extra = { bill, usd };
	}

	/** The net: one fold over all finished steps but the newest, where pi would compact. */
	private net(request: Request, at: number): void {
		const { pressed, steps } = this.tape;
		const { threshold, window } = this.limits;
		if (!pressed?.has(request.number) && this.view.sizeOf(request) < threshold) return;
		const spared = Math.min(SPARED, window / 4);
		const last = steps.findLast(
			({ to }) => to <= request.to && this.view.goes(to, request.to) >= spared,
		);
		const first = steps[0];
		if (!first || !last || last.to <= first.from) return;
		const tokens = this.view.goes(first.from, last.to);
		const chip = netTokens(steps.indexOf(last) + 1, tokens) + CHIP;
		const id = `net ${this.folds.length}`;
		const fold = { id, from: first.from, to: last.to, tokens, chip, summary: 0, made: request.to };
		if (chip >= tokens) return;
		this.folds.push(fold);
		this.landAll([fold], request, at);
	}

	/** Of a bound: the share that may go of all finished steps of the era but the last ones. */
	private goneOf(request: Request): number {
		const { steps, items } = this.tape;
		const last = steps[request.steps - this.terms.keep - 1];
		if (!last || last.to <= request.from || !items[request.from]) return 0;
		return this.terms.foldable * this.view.goes(request.from, last.to);
	}

	/** The ranges that are due, in the order in which they are proposed. */
	private ranged(request: Request): Ranged[] {
		const range = this.gathering?.due(request);
		if (!range) return [];
		this.ranges++;
		if (this.policy.kind !== "auto") return [range];
		if (this.ranges % MID_HISTORY === 0) {
			this.pending.push(range);
			return [];
		}
		const ranges = [...this.pending, range];
		this.pending = [];
		return ranges;
	}

	private gather(request: Request): Laid[] {
		return this.ranged(request).map((range) => this.make(range, request));
	}

	/** Records a fold: its summary is written as output, whenever it lands. */
	private make({ from, to, tokens }: Ranged, request: Request): Laid {
		const summary = summaryOf(tokens, this.terms);
		const id = `${this.folds.length}`;
		const fold = { id, from, to, tokens, chip: summary + FRAME, summary, made: request.to };
		this.folds.push(fold);
		this.written += summary;
		return fold;
	}

	private hold(folds: readonly Laid[], request: Request): void {
		this.view.held.push(...folds);
		for (const fold of folds) {
			const { sizes, fresh = 0 } = this.candidate(fold, request);
			this.waiting.push({ fold, carried: sizes.T - fresh, requests: 0 });
		}
	}

	private landAll(folds: readonly Laid[], request: Request, at: number): void {
		if (folds.length === 0) return;
		this.till.cut(Math.min(...folds.map(({ from }) => this.view.offsetOf(request, from))));
		for (const fold of folds) this.view.land(fold);
		this.waiting = this.waiting.filter(({ fold }) => this.view.held.includes(fold));
		this.landings++;
		this.intact = at;
	}

	/** As the extension does it: every fold is asked about when it is made, all held ones before each request. */
	private time(request: Request, at: number): void {
		for (const fold of [...this.gather(request), undefined]) {
			const held = this.waiting.map((one) => this.heldFold(one, request));
			const candidate = fold ? this.candidate(fold, request) : null;
			const { lands } = decide(this.moment(request), held, candidate);
			if (fold) this.hold([fold], request);
			const ids = new Set(lands.map(({ id }) => id));
			this.landAll(
				this.view.held.filter(({ id }) => ids.has(id)),
				request,
				at,
			);
		}
	}

	private moment(request: Request): Parameters<typeof decide>[0] {
		const prompt = this.view.sizeOf(request);
		const prices = this.till.pricesOf(request.maker);
		return {
			timing: "auto",
			warm: this.warm,
			rates: this.till.ratesOf(request, prompt),
			caches: this.till.rulesOf(request).kind !== "none",
			cold: this.isColdAt(request),
			prompt,
			window: null,
			tierAbove: prices ? (tierAt(prices, prompt)?.inputTokensAbove ?? null) : null,
		};
	}

	private isColdAt(request: Request): boolean {
		return isCold(this.till.rulesOf(request), this.till.idleOf(request));
	}

	private heldFold(one: Waiting, request: Request): HeldFold {
		const candidate = this.candidate(one.fold, request);
		const carried = candidate.sizes.T - (candidate.fresh ?? 0);
		return { ...candidate, grown: carried - one.carried, requests: one.requests };
	}

	private candidate(fold: Laid, request: Request): Candidate {
		const { view, till } = this;
		const { items } = this.tape;
		const P = view.offsetOf(request, fold.from);
		const F = fold.tokens;
		const fresh = this.before
			? (items[request.to]?.offset ?? 0) - (items[this.before.to]?.offset ?? 0)
			: 0;
		const T = Math.max(0, view.sizeOf(request) - P - F);
		const entry = this.entryOf(fold, request);
		const rules = till.rulesOf(request);
		const cut = {
			P,
			head: this.tape.head,
			positionsAfter: entry ? entry.positionsAfter : Number.POSITIVE_INFINITY,
			idleMs: till.idleOf(request),
			entryIdleMs: entry ? entry.idleMs : Number.POSITIVE_INFINITY,
		};
		const grows = this.before ? view.positionsAfter(request, this.before.to) : 0;
		const H = hitAfter(rules, cut);
		const nextH = hitAfter(rules, { ...cut, positionsAfter: cut.positionsAfter + grows });
		const sizes = { P, F, T, S: fold.chip, s: fold.summary };
		return { id: fold.id, sizes, H, fresh: Math.min(fresh, T), nextH };
	}

	/** The cache entry that ends where a fold begins; undefined if no request wrote one that still holds. */
	private entryOf({ from, to }: Laid, request: Request) {
		const { requests } = this.tape;
		const at = this.ends.get(from) ?? -1;
		if (at < this.intact) return undefined;
		const next = requests[at + 1];
		return {
			positionsAfter: this.view.positionsAfter(request, to) + 1,
			idleMs: request.atMs - (next ?? request).doneMs,
		};
	}

	/** Puts the folds of the recording in view as they were. */
	private replay(request: Request, at: number): void {
		const now = this.tape.folds.filter(
			(fold) => fold.request <= request.number && request.number < fold.until,
		);
		const ids = new Set(now.map(({ id }) => id));
		const was = new Set(this.view.landed.map(({ id }) => id));
		const changed = [
			...this.view.landed.filter(({ id }) => !ids.has(id)),
			...now.filter(({ id }) => !was.has(id)),
		];
		if (changed.length === 0) return;
		this.till.cut(Math.min(...changed.map(({ from }) => this.view.offsetOf(request, from))));
		this.view.landed = now.map(({ id, from, to, removed, chip }) => {
			const known = this.folds.find((fold) => fold.id === id);
			const fold = known ?? { id, from, to, tokens: removed, chip, summary: 0, made: request.to };
			if (!known) this.folds.push(fold);
			return fold;
		});
		this.landings++;
		this.intact = at;
	}
}

/** The net leaves so many tokens of the newest steps, or a quarter of the window. */
const SPARED = 20_000;
/** A context calls for a compaction from this share of the threshold on: pi counts what is still to come. */
const PRESSING = 0.9;

const NOTHING = { input: 0, cacheRead: 0, cacheWrite: 0 };

/** Of the ranges that `auto` proposes one in so many lies in mid-history. */
const MID_HISTORY = 4;
