// `/dmail status`: what folding does now.

import { BEFORE_ERA, type Replayer } from "../../fold.ts";
import type { PiMessage } from "../session/entry.ts";
import { countImages, IMAGE_TOKENS } from "../session/size.ts";
import { formatCount } from "./badge.ts";
import { type Answer, answering, type Call, type Command, tell } from "./command.ts";
import { pinnedCut } from "./cut.ts";
import { SEND_TOOL } from "./dmail.ts";
import { countSkipped } from "./folding.ts";
import { supersededHeld } from "./held.ts";
import { tellCut } from "./keep.ts";
import { readLog, replayLog } from "./log.ts";
import { type Pricing, pricingOf } from "./price.ts";
import { cacheText, pricesText } from "./price-text.ts";
import { roomIn } from "./price-window.ts";
import { problemsOf } from "./saving.ts";
import { reportHeld, reportLandings } from "./timing-report.ts";

export const STATUS: Command = {
	name: "status",
	help: "what folding does now",
	alone: true,
	run: answering(status),
};

type Branch = Replayer<PiMessage>;

function status({ pi, dmail, ctx }: Call): Answer {
	const { enabled, why } = dmail.mode;
	const log = readLog(ctx);
	const folded = replayLog(log, { folds: true, markers: dmail.isToolActive() });
	const raw = replayLog(log, { folds: false, markers: false });
	const { astray } = dmail;
	const sent = enabled && !astray ? folded : raw;
	const view = sent.view({ asking: true });
	const pricing = pricingOf(pi, ctx, { log, replayer: sent, view });
	const scene = { log, replayer: sent, view, pricing };
	const problems = problemsOf(folded);
	const lines = [
		`is ${enabled ? "on" : "off"} (${why})`,
		...(enabled && !dmail.isToolActive() ? [`${SEND_TOOL} is not offered to the model`] : []),
		...(enabled && astray ? [astray] : []),
		sizeLine(pricing.layout.total, raw.size(), sent.visible.length > 0),
		promptLine(pricing),
		...imageLine(view.messages),
		`${foldLine(folded)}${enabled ? "" : "; none is applied while off"}`,
		...problems.map((problem) => `  ${problem}`),
		...eraLine(folded),
		...(enabled ? reportHeld(scene, dmail.settings.timing) : []),
		...reportLandings(scene),
		...tellCut(pinnedCut({ ctx, dmail }, { log, replayer: folded })),
		`prices: ${pricesText(pricing.market, pricing.head + pricing.layout.total)}`,
		`cache: ${cacheText(pricing.market, pricing.idleMs)}`,
		...dmail.warnings
			.filter((one) => one !== astray && !problems.includes(one))
			.map((one) => `warned: ${one}`),
	];
	return tell(lines.join("\n"));
}

function sizeLine(sent: number, raw: number, isFolded: boolean): string {
	// what is labelled then is the step that is to come
	if (raw === 0) return "conversation: nothing yet";
	const saved = Math.max(0, raw - sent);
	const share = Math.round((100 * saved) / raw);
	const less = saved > 0 ? `; ~${formatCount(saved)} (${share}%) are kept out` : "";
	const labels =
		sent > raw && !isFolded ? `; ~${formatCount(sent - raw)} of what is sent label the steps` : "";
	return `conversation: ~${formatCount(sent)} tokens sent now, ~${formatCount(raw)} raw${less}${labels}`;
}

function promptLine({ head, layout, window }: Pricing): string {
	const prompt = head + layout.total;
	const room = roomIn(window, prompt);
	const until = window.compacts ? "before pi compacts" : "before the window is full";
	const left = room === null ? "" : `; room for ~${formatCount(Math.max(0, room))} ${until}`;
	return `next request: ~${formatCount(prompt)} tokens with prompt and tools${left}`;
}

/** The estimate takes every image for the same; who bills or limits their bytes sees them here. */
function imageLine(messages: readonly PiMessage[]): string[] {
	const { count, bytes } = countImages(messages);
	if (count === 0) return [];
	const each = `${formatCount(IMAGE_TOKENS)} tokens`;
	const counted = count === 1 ? `which counts as ${each}` : `each of which counts as ${each}`;
	return [`images: ${count} in the next request, ${formatCount(bytes)}B of base64, ${counted}`];
}

function foldLine(replayer: Branch): string {
	const count = (state: string) => replayer.folds.filter((fold) => fold.state === state).length;
	const others = ["absorbed", "open", "dropped"].flatMap((state) =>
		count(state) > 0 ? [`${count(state)} ${state}`] : [],
	);
	const superseded = supersededHeld(replayer.folds).size;
	const inside = superseded > 0 ? ` (${superseded} superseded by others that are held)` : "";
	const always = [`${count("landed")} landed`, `${count("held")} held${inside}`];
	return `folds: ${[...always, ...others, `${countSkipped(replayer)} skipped`].join(", ")}`;
}

function eraLine(replayer: Branch): string[] {
	const before = replayer.folds.filter(({ reason }) => reason === BEFORE_ERA).length;
	if (before === 0) return [];
	const [lie, they] = before === 1 ? ["lies", "it stays"] : ["lie", "they stay"];
	return [`  ${before} of them ${lie} before pi's compaction; ${they} readable`];
}
