// What a what-if assumes and what it leaves out, in sentences with the numbers that were used.

import { GATHERED } from "./policy.ts";
import { CHIP, FRAME, LEAST_SUMMARY, type Terms } from "./what-if-terms.ts";

/** Tokens of the extension's own text in every request, at most: both tools and the policy. */
const OWN_TEXT = 1_050;

/**
 * Every assumption, a sentence each.
 *
 * @param rates what prices and cache rules are used
 */
export function assumptionsOf(terms: Terms, rates: string): string[] {
	const share = (part: number) => `${Number((part * 100).toFixed(1))}%`;
	const number = (value: number) => value.toLocaleString("en-US");
	return [
		rates,
		terms.refresh === "all"
			? "a hit on a cache entry keeps the shorter entries within it alive (--refresh hit: only that entry)"
			: "a hit on a cache entry keeps no shorter entry alive (--refresh all: all within it)",
		"prompts are as measured; sizes within them are estimates, scaled to what the prompts grew by",
		`a summary takes ${share(terms.summaryRatio)} of what it replaces, at least ${LEAST_SUMMARY} tokens, paid as output when it is written`,
		`a fold leaves ${FRAME} tokens more in view: the chip's own words (${CHIP}), notes, the call and its result`,
		`the last ${terms.keep} finished steps stay; of the others ${share(terms.foldable)} may go, the newest of what has gathered; the user's messages stay`,
		`steps gather to ${number(GATHERED)} tokens before they are folded, unless the policy says otherwise`,
		"auto proposes three of four ranges at once and the fourth when the next has gathered behind it; the extension's own function times them",
		"oracle is a bound that nothing reaches: what may go is gone at once, without summary, call or rewrite",
		"net writes about 30 tokens a step, 3,000 at most, without a model; compact pays for pi's call, which sends what goes once more, uncached; other bills have no such call",
		"a compaction counts as avoided where the recorded context had come to 90% of pi's threshold (the window less 16,384) and this one had not; windows are guessed from the largest prompt (--window)",
		"gone: tokens that a compaction took and no fold keeps readable for the model",
		"pays after: requests from the first difference until all together were cheaper",
		"used again: paths, identifiers, numbers and error lines that stood only in a folded range and that a later reply was the first to use; repeats: its calls that were made again alike. Words are compared, not meanings",
		"each session stands for itself: a reply that several files share counts in each",
		`not simulated: how good a summary is, what the model would have done otherwise, and the extension's own text in each request (at most ${number(OWN_TEXT)} tokens)`,
	];
}
