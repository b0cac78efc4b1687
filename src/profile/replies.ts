// Every reply of a session in columns: what it used, what it cost, who made it and when. Measured numbers
// only, as the price room reads them; nothing here is estimated.

import { type Prices, pricesFromUsage } from "../price/rate.ts";
import { promptTokens, readUsage, type Usage } from "../price/usage.ts";
import type { AssistantMessage } from "../session/entry.ts";
import { Column, Names } from "./column.ts";

/** Who made a reply: one provider's model. Prices, tokenisers and caches are its own. */
export interface Maker {
	readonly provider: string | null;
	readonly model: string | null;
	/** whether a cache ever showed in its usage */
	readonly caches: boolean;
	/** whether it reports what it writes to a cache */
	readonly writes: boolean;
	/** whether what it writes lives for an hour */
	readonly hourly: boolean;
	readonly prices: Prices | null;
}

/** Whether a maker has a cache whose reads have no recorded price: what they cost is not known. */
export function isReadUnpriced({ caches, prices }: Maker): boolean {
	return caches && prices?.cacheRead === 0;
}

/** The replies of a file in file order; a reply is named by its number, from 0. */
export class Replies {
	private readonly names = new Names();
	private readonly input = new Column();
	private readonly cacheRead = new Column();
	private readonly cacheWrite = new Column();
	private readonly cacheWrite1h = new Column();
	private readonly output = new Column();
	private readonly cost = new Column();
	private readonly started = new Column();
	private readonly ended = new Column();
	/** in ms; NaN where the host does not record it */
	private readonly duration = new Column();
	private readonly stop = new Column();
	private readonly makers: Making[] = [];
	private readonly maker = new Column();

	get length(): number {
		return this.started.length;
	}

	/**
	 * Adds a reply.
	 *
	 * @param stored when its entry was stored, in ms; NaN where unknown
	 * @returns what is wrong with its usage
	 */
	push(message: AssistantMessage, stored: number): readonly string[] {
		const { usage, problems } = readUsage(message.usage);
		const { timestamp, durationMs } = message;
		this.started.push(Number.isFinite(timestamp) ? timestamp : stored);
		this.ended.push(stored);
		this.duration.push(durationMs ?? Number.NaN);
		this.stop.push(this.names.numberOf(textOf(message.stopReason)));
		const maker = this.makerOf(textOf(message.provider) ?? null, textOf(message.model) ?? null);
		this.maker.push(maker);
		this.pushUsage(usage);
		if (usage) this.makers[maker]?.learn(usage);
		return problems;
	}

	/** What a reply used; undefined where that is unknown. */
	usageOf(reply: number): Usage | undefined {
		const input = this.input.at(reply);
		if (Number.isNaN(input)) return undefined;
		const cost = this.cost.at(reply);
		return {
			input,
			cacheRead: this.cacheRead.at(reply),
			cacheWrite: this.cacheWrite.at(reply),
			cacheWrite1h: this.cacheWrite1h.at(reply),
			output: this.output.at(reply),
			costUsd: Number.isNaN(cost) ? null : cost,
			cost: null,
		};
	}

	/** Size of its prompt in tokens; NaN where that is unknown. */
	promptOf(reply: number): number {
		return this.input.at(reply) + this.cacheRead.at(reply) + this.cacheWrite.at(reply);
	}

	/** When it was asked for, in ms; NaN where unknown. */
	startOf(reply: number): number {
		return this.started.at(reply);
	}

	/** When it was stored, in ms; NaN where unknown. */
	endOf(reply: number): number {
		return this.ended.at(reply);
	}

	/** When it was complete, in ms: what it used of a cache lives from then on; NaN where unknown. */
	doneOf(reply: number): number {
		const told = this.toldDoneOf(reply);
		const ended = this.endOf(reply);
		return this.duration.at(reply) >= 0 || Number.isNaN(ended) ? told : Math.max(told, ended);
	}

	/** The same by what the reply itself says, which an extension in pi goes by; of older hosts it is the start. */
	toldDoneOf(reply: number): number {
		const duration = this.duration.at(reply);
		return this.startOf(reply) + (Number.isNaN(duration) ? 0 : duration);
	}

	stopOf(reply: number): string | null {
		return this.names.textOf(this.stop.at(reply));
	}

	/** Which maker it was, by number. */
	makerNumberOf(reply: number): number {
		return this.maker.at(reply);
	}

	makerOfReply(reply: number): Maker | undefined {
		return this.makers[this.maker.at(reply)];
	}

	private makerOf(provider: string | null, model: string | null): number {
		const isIt = (maker: Making | undefined) =>
			maker?.provider === provider && maker.model === model;
		// one reply after the other is of the same maker as a rule
		const newest = this.maker.at(this.maker.length - 1);
		if (isIt(this.makers[newest])) return newest;
		const found = this.makers.findIndex(isIt);
		return found >= 0 ? found : this.makers.push(new Making(provider, model)) - 1;
	}

	private pushUsage(usage: Usage | null): void {
		const unknown = Number.NaN;
		this.input.push(usage?.input ?? unknown);
		this.cacheRead.push(usage?.cacheRead ?? unknown);
		this.cacheWrite.push(usage?.cacheWrite ?? unknown);
		this.cacheWrite1h.push(usage?.cacheWrite1h ?? unknown);
		this.output.push(usage?.output ?? unknown);
		this.cost.push(usage?.costUsd ?? unknown);
	}
}

/** How many usages of one maker its prices are read off. */
const SAMPLE = 1_024;

/** What is learnt of a maker while its replies come in. */
class Making implements Maker {
	readonly provider: string | null;
	readonly model: string | null;
	caches = false;
	writes = false;
	hourly = false;
	private samples: Usage[] = [];
	private seen = 0;
	private stride = 1;
	private found: Prices | null | undefined;

	constructor(provider: string | null, model: string | null) {
		this.provider = provider;
		this.model = model;
	}

	get prices(): Prices | null {
		// null is an answer, too: no price was recorded
		if (this.found === undefined) this.found = pricesFromUsage(this.samples);
		return this.found;
	}

	learn(usage: Usage): void {
		this.caches ||= usage.cacheRead + usage.cacheWrite > 0;
		this.writes ||= usage.cacheWrite > 0;
		this.hourly ||= usage.cacheWrite1h > 0;
		if (promptTokens(usage) > 0) this.sample(usage);
	}

	/** Keeps usages evenly spread over the session, however long it gets. */
	private sample(usage: Usage): void {
		if (this.seen++ % this.stride !== 0) return;
		this.found = undefined;
		this.samples.push(usage);
		if (this.samples.length < SAMPLE) return;
		this.samples = this.samples.filter((_, i) => i % 2 === 0);
		this.stride *= 2;
	}
}

function textOf(value: unknown): string | undefined {
	return typeof value === "string" ? value : undefined;
}
