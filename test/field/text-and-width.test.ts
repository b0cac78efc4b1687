// Texts that are larger, smaller or wider than they look: images, CJK, emoji, long outputs. Estimates stay
// near what is billed, and nothing that is painted is wider than it may be.

import assert from "node:assert/strict";
import { test } from "node:test";
import { visibleWidth as newerWidth } from "@earendil-works/pi-tui";
import { type Component, visibleWidth } from "@mariozechner/pi-tui";
import { encode, foldContext } from "../../fold.ts";
import { badgeText } from "../../src/pi/badge.ts";
import { rewrite } from "../../src/pi/compaction-preparation.ts";
import { foldNow } from "../../src/pi/folding.ts";
import { chooseNet } from "../../src/pi/net-choice.ts";
import { Picker } from "../../src/pi/picker.ts";
import { readChoices } from "../../src/pi/picker-dialog.ts";
import {
	renderChip,
	renderCut,
	renderReadCall,
	renderReadResult,
	renderSendCall,
	renderSendResult,
} from "../../src/pi/render.ts";
import { clip, widthOf } from "../../src/report/width.ts";
import type { PiMessage } from "../../src/session/entry.ts";
import { piHost } from "../../src/session/message.ts";
import { estimateText, estimateTokens } from "../../src/session/size.ts";
import { logOf } from "../pi/random-chat.ts";
import { Chat } from "../support/chat.ts";
import { typeCommands } from "../support/fake-commands.ts";
import { fakePi } from "../support/fake-pi.ts";
import { chipsAmong, hookOver, textOf } from "../support/hook.ts";
import { compactionSettings, PREPARE } from "../support/host-compaction.ts";
import { call, reply, result, session, user } from "../support/session-entries.ts";

const picture = (bytes: number) =>
	({ type: "image", data: "A".repeat(bytes), mimeType: "image/png" }) as const;

test("X01: an image counts the same whatever its base64, wherever it stands", () => {
	const sizes = [0, 100, 3_300_000].map((bytes) => {
		const content = [{ type: "text", text: "abcd" }, picture(bytes)];
		return ["user", "toolResult", "custom"].map((role) => estimateTokens({ role, content }));
	});
	assert.deepEqual(sizes, Array(3).fill(Array(3).fill(1_201)));
	const entries = session(
		user("look"),
		reply("", call("a", "shot", {})),
		result("a", [picture(3_300_000)]),
		reply("", call("b", "bash", { command: "ls" })),
		result("b", "x".repeat(4_000)),
	);
	const { pi, ctx } = fakePi(entries);
	const wish = { fromStep: 1, live: false };
	const made = foldNow(pi, ctx, { wish, summary: "seen", by: "user", timing: "now" });
	assert.ok(made.ok && made.tokensBefore < 2_500, "no base64 in any size that is told");
});

test("X02: beside the estimate stands how many images there are and how large, for services that bill bytes", async () => {
	const shots = Array.from({ length: 45 }, (_, n) => [
		reply("", call(`c${n}`, "shot", {})),
		result(`c${n}`, [picture(40_000)]),
	]);
	const run = typeCommands(session(user("look"), ...shots.flat(), reply("Seen.")));
	assert.match(await run.run("/dmail status"), /images: 45 in the next request, 1\.8MB of base64/);
	await run.run("/dmail fold 1 44 -- all but the last are seen");
	const after = await run.run("/dmail status");
	assert.match(after, /images: 1 in the next request, 40kB of base64, which counts as 1\.2k/);
	const plain = typeCommands(session(user("look"), reply("Nothing.")));
	assert.doesNotMatch(await plain.run("/dmail status"), /images/);
});

/** Turns of 200 CJK characters each, in a request, a reply and a result; the first five are folded. */
function cjkChat(turns: number): Chat {
	const chat = new Chat();
	for (let n = 0; n < turns; n++)
		chat
			.user("请".repeat(50))
			.reply([`c${n}`])
			.result(`c${n}`, "汉字".repeat(75));
	return chat.fold("e1", "e15", { summary: "五个请求" });
}

const GENERATIONS = ["0.73", "1.6"] as const;

test("X04: a CJK character counts as about a token, in every script of theirs and also beside other text", () => {
	for (const text of ["汉", "漢", "語", "の", "カ", "한", "，"])
		assert.equal(estimateText(text.repeat(20_000)), 20_000, text);
	assert.equal(estimateText("a".repeat(400) + "汉".repeat(100)), 200);
	assert.equal(estimateText("Grüße, Привет, γειά".repeat(4)), "Grüße, Привет, γειά".length);
});

for (const generation of GENERATIONS) {
	test(`X04: ${generation}: a cut in a CJK conversation stays within it, whatever is to be kept`, () => {
		for (const keep of [1, 100, 1_000, 5_000, 50_000]) {
			const chat = cjkChat(40);
			const preparation = PREPARE[generation](chat.entries, compactionSettings(keep));
			if (!preparation) continue;
			rewrite(preparation, { log: logOf(chat, generation), lands: [], window: 64_000 });
			const { firstKeptEntryId, messagesToSummarize, turnPrefixMessages } = preparation;
			assert.ok(messagesToSummarize.length + turnPrefixMessages.length > 0, `${keep}`);
			const at = chat.entries.findIndex(({ id }) => id === firstKeptEntryId);
			assert.ok(at > 0 && at < chat.entries.length, `${keep}: ${at}`);
		}
	});

	test(`X05: ${generation}: what is kept of a folded CJK conversation is within 30 % of what shall be kept`, () => {
		for (const keep of [2_000, 4_000]) {
			// by its own measure, a quarter, pi finds enough to keep only in a long one
			const chat = cjkChat(keep / 40);
			const preparation = PREPARE[generation](chat.entries, compactionSettings(keep));
			assert.ok(preparation);
			rewrite(preparation, { log: logOf(chat, generation), lands: [], window: null });
			const from = chat.entries.findIndex(({ id }) => id === preparation.firstKeptEntryId);
			const kept = tokensFrom(chat, from);
			assert.ok(kept > 0.7 * keep && kept < 1.3 * keep, `${kept} of ${keep}`);
		}
	});
}

/** One token a CJK character, what such texts are billed at. */
function tokensFrom(chat: Chat, from: number): number {
	const text = JSON.stringify(chat.entries.slice(from));
	return text.match(/\p{Script=Han}/gu)?.length ?? 0;
}

test("X05: the net, too, leaves alone as many CJK tokens as it shall", () => {
	for (const spare of [2_000, 4_000]) {
		const chat = cjkChat(60);
		const log = logOf(chat);
		const next = foldContext(log.branch, piHost).messages.reduce(
			(sum, message) => sum + piHost.tokens(message),
			0,
		);
		const net = chooseNet(log, {
			lands: [],
			next,
			scale: 1,
			aim: 0,
			most: next,
			spare,
			live: false,
		});
		assert.ok(net.ok);
		const to = chat.entries.findIndex(({ id }) => id === net.record.toEntryId);
		const kept = tokensFrom(chat, to);
		assert.ok(kept > 0.7 * spare && kept < 1.3 * spare, `${kept} of ${spare}`);
	}
});

const paint = {
	fg: (_: string, text: string) => `\u001b[36m${text}\u001b[39m`,
	bg: (_: string, text: string) => `\u001b[46m${text}\u001b[49m`,
	bold: (text: string) => `\u001b[1m${text}\u001b[22m`,
} as never;

const WIDE = "한국어로 쓴 요약은 한 글자가 두 칸을 차지합니다 ".repeat(3);
const TEXTS = [
	WIDE,
	"👩‍👩‍👧‍👦🇯🇵".repeat(40),
	"x".repeat(500),
	"e\u0301".repeat(200),
	"\u001b[2Jred\ttab",
];

/** Everything of ours that pi paints, with one text in all of it. */
function painted(text: string): Component[] {
	const state = { expanded: true, isError: false };
	const told = { content: [{ type: "text", text }], details: { fromStep: 1, toStep: 2 } };
	const data = { fromEntryId: "a", toEntryId: null, summary: text };
	const drawn = [true, false].flatMap((expanded) => [
		renderSendCall({ fromStep: 1, summary: text }, paint, { ...state, expanded }),
		renderSendResult(told, { expanded }, paint, { ...state, expanded }),
		renderSendResult(told, { expanded }, paint, { expanded, isError: true }),
		renderReadCall({ query: text }, paint),
		renderReadResult(told, { expanded }, paint, { ...state, expanded }),
		renderCut({ content: text, details: told.details }, { expanded }, paint),
		renderChip({ id: "e1", data }, { expanded }, paint),
	]);
	return [...drawn.filter((one) => one !== undefined), picker(text)];
}

function picker(text: string): Component {
	const { pi, ctx } = fakePi(
		session(user(text), reply(text, call("a", "bash", { command: text }))),
	);
	const keys = { matches: () => false } as never;
	const done = () => undefined;
	const options = { theme: paint, keys, height: 5, asksModel: true, done };
	return new Picker(readChoices(pi, ctx), options);
}

function assertFits(component: Component, width: number): void {
	for (const line of component.render(width))
		for (const measure of [visibleWidth, newerWidth])
			assert.ok(measure(line) <= width, `${width}: ${JSON.stringify(line)}`);
}

test("X07: sixty wide characters in 93 columns, and any text in any width, are never painted over it", () => {
	for (const text of TEXTS)
		for (const component of painted(text))
			for (const width of [93, 20, 21, 40, 41, 80, 120, 299, 300]) assertFits(component, width);
});

test("X07: nor printed over it by the profiler", () => {
	for (const text of TEXTS)
		for (let width = 1; width < 100; width += 7) assert.ok(widthOf(clip(text, width)) <= width);
});

test("X08: the badge leaves room beside another one of sixty columns, and has no sign that is wider than it looks", () => {
	const others = 60 + 1;
	for (let saved = 0; saved < 1e12; saved = saved * 7 + 1)
		for (const enabled of [true, false])
			for (const failed of [true, false]) {
				const text = badgeText({ enabled, saved, failed });
				// a terminal may take the one sign that is no letter for two columns
				for (const width of [visibleWidth(text), newerWidth(text), text.length + 1])
					assert.ok(width <= 20 && others + width <= 100, text);
				assert.doesNotMatch(text, /[\p{Emoji_Presentation}\p{Cc}]/u);
			}
});

test("X10: what was painted in one width is painted anew in the next, one column less", () => {
	for (const component of painted(WIDE)) {
		for (let width = 93; width >= 20; width--) assertFits(component, width);
		const narrow = component.render(55);
		component.render(56);
		assert.deepEqual(component.render(55), narrow);
	}
});

test("X11: of a fold over a megabyte the first 200 characters say which it is and how to read it, and no character is halved", async () => {
	const entries = session(
		user("😀".repeat(3_000)),
		reply("", call("a", "bash", { command: "cat big" })),
		result("a", "😀".repeat(500_000)),
		user(`${"x"}${"😀".repeat(3_000)}`),
		reply("Done."),
	);
	const { fake, send } = hookOver(entries);
	const wish = { fromStep: 1, live: false };
	const made = foldNow(fake.pi, fake.ctx, { wish, summary: "big", by: "user", timing: "now" });
	assert.ok(made.ok);
	const [chip] = chipsAmong(await send());
	const text = textOf(chip);
	const head = Array.from(text).slice(0, 200).join("");
	assert.match(head, new RegExp(`fold="${made.id}".*read_dmail\\(\\{"fold":"${made.id}"\\}\\)`));
	assert.doesNotMatch(text, /\p{Surrogate}/u);
	assert.match(text, /1001 characters left out/, "counted in characters, not in halves of them");
	assert.ok(estimateTokens(chip as PiMessage) < 3_000);
	const long = encode({ ...FOLD, id: "0123456789abcdef".repeat(2) });
	const chat = new Chat(entries).record(long);
	const [longest] = chipsAmong(foldContext(logOf(chat).branch, piHost).messages);
	assert.match(textOf(longest).slice(0, 200), /read_dmail\(\{"fold":"[0-9a-f]{32}"\}\)/);
});

const FOLD = {
	kind: "fold",
	v: 1,
	id: "0000",
	fromEntryId: "e1",
	toEntryId: "e3",
	summary: "s",
	digest: "0",
	by: "user",
} as const;
