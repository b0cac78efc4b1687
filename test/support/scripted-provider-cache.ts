// The simulated prompt cache of the scripted model: whole messages, 4 characters a token, entries that
// live for a while and are renewed when read. Knows nothing of pi.

/** One part of a prompt: two are the same part when their bytes are. */
export interface PromptPart {
	readonly bytes: string;
	readonly tokens: number;
}

/** How a prompt was served, in tokens. */
export interface Served {
	readonly cacheRead: number;
	readonly cacheWrite: number;
	readonly input: number;
}

interface CachedPrompt {
	readonly parts: readonly PromptPart[];
	/** when it was last written or read, in ms */
	usedAt: number;
}

/** Tokens of a text by pi's own rule of thumb. */
export function tokensOf(chars: number): number {
	return Math.ceil(chars / 4);
}

/** Remembers the prompts of one model for as long as a provider would. */
export class PromptCache {
	private readonly lifeMs: number;
	private prompts: CachedPrompt[] = [];

	/** @param lifeMs how long an unused prompt stays; 0: the provider has no cache */
	constructor(lifeMs: number) {
		this.lifeMs = lifeMs;
	}

	/** Serves a prompt at a time and keeps it, unless it asks for no retention. */
	serve(parts: readonly PromptPart[], nowMs: number, keep: boolean): Served {
		const total = sum(parts);
		if (this.lifeMs === 0 || !keep) return { cacheRead: 0, cacheWrite: 0, input: total };
		this.prompts = this.prompts.filter((prompt) => nowMs - prompt.usedAt <= this.lifeMs);
		let longest = 0;
		for (const prompt of this.prompts) {
			const same = sameParts(prompt.parts, parts);
			if (same > longest) longest = same;
			if (same === prompt.parts.length) prompt.usedAt = nowMs;
		}
		this.prompts.push({ parts, usedAt: nowMs });
		const cacheRead = sum(parts.slice(0, longest));
		return { cacheRead, cacheWrite: total - cacheRead, input: 0 };
	}
}

function sameParts(left: readonly PromptPart[], right: readonly PromptPart[]): number {
	let same = 0;
	while (same < left.length && same < right.length && left[same]?.bytes === right[same]?.bytes)
		same++;
	return same;
}

function sum(parts: readonly PromptPart[]): number {
	return parts.reduce((total, part) => total + part.tokens, 0);
}
