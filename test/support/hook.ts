// The extension's hook over a session in memory: a list goes in, what is sent comes out. For what needs no
// real host; pi's own converters are not imitated.

import { registerContext } from "../../src/pi/context.ts";
import { Dmail } from "../../src/pi/dmail.ts";
import { projection } from "../../src/session/branch.ts";
import type { PiMessage, SessionEntry } from "../../src/session/entry.ts";
import { blocksOf } from "../../src/session/entry.ts";
import { foldOfChip } from "../../src/session/message.ts";
import { type FakeOptions, type FakePi, fakePi } from "./fake-pi.ts";

/** The hook and what it said. */
export interface Hook {
	readonly fake: FakePi;
	readonly dmail: Dmail;
	/** texts of the badge, in order */
	readonly badges: readonly string[];
	/** what pi calls, with a context */
	readonly handler: Handler;
	/** the list that pi would hand out now */
	list(): PiMessage[];
	/** hands a copy of a list to the hook, as pi does; without one pi's own */
	send(list?: readonly PiMessage[]): Promise<readonly PiMessage[]>;
}

/** Makes one over a branch; folds land at once unless the settings say otherwise. */
export function hookOver(
	entries: readonly SessionEntry[],
	dmailSettings: Readonly<Record<string, unknown>> = {},
	options: FakeOptions = {},
): Hook {
	const settings = { dmail: { timing: "now", ...dmailSettings } };
	const fake = fakePi(entries, { ...options, settings });
	const handlers = new Map<string, Handler>();
	const badges: string[] = [];
	const pi = { ...fake.pi, on: (event: string, handler: Handler) => handlers.set(event, handler) };
	Object.assign(fake.ctx.ui, { setStatus: (_: string, text: string) => badges.push(text) });
	const dmail = new Dmail(pi as never);
	dmail.start(fake.ctx);
	registerContext(pi as never, dmail);
	const handler: Handler = async (event, ctx) => handlers.get("context_with_system")?.(event, ctx);
	const list = () => projection(fake.entries, "1.6").map(({ message }) => message);
	return {
		fake,
		dmail,
		badges,
		handler,
		list,
		async send(given = list()) {
			const messages = structuredClone([...given]);
			const answer = await handler({ messages }, fake.ctx);
			return answer?.messages ?? messages;
		},
	};
}

type Handler = (event: object, ctx: unknown) => Promise<{ messages: PiMessage[] } | undefined>;

/** The chips among messages. */
export function chipsAmong(messages: readonly PiMessage[]): PiMessage[] {
	return messages.filter((message) => foldOfChip(message) !== undefined);
}

/** The texts of a message, one below the other; a block of another kind by its type. */
export function textOf(message: PiMessage | undefined): string {
	const blocks = blocksOf(message && "content" in message ? message.content : []);
	return blocks.map((block) => (block.type === "text" ? block.text : block.type)).join("\n");
}

/** Ids of results without a call before them, and of calls that nothing answers. */
export function unpairedIn(messages: readonly PiMessage[]): string[] {
	const open: string[] = [];
	const orphans: string[] = [];
	for (const message of messages)
		if (message.role === "assistant") {
			for (const block of blocksOf(message.content))
				if (block.type === "toolCall") open.push(block.id);
		} else if (message.role === "toolResult") {
			const at = open.indexOf(message.toolCallId);
			if (at < 0) orphans.push(message.toolCallId);
			else open.splice(at, 1);
		}
	return [...orphans, ...open];
}
