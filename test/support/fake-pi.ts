// A pi without a pi: a session in memory, and what an extension said and did to it. For decisions that need no
// real host; what a host does by itself is not imitated.

import type { ExtensionAPI, ExtensionCommandContext } from "@mariozechner/pi-coding-agent";
import type { SessionEntry } from "../../src/session/entry.ts";

/** What a test may set. */
export interface FakeOptions {
	readonly model?: Readonly<Record<string, unknown>> | undefined;
	readonly idle?: boolean;
	readonly hasUI?: boolean;
	readonly systemPrompt?: string;
	readonly settings?: Readonly<Record<string, unknown>>;
	/** tools that are offered */
	readonly tools?: readonly string[];
	/** answers of dialogs, in order */
	readonly answers?: readonly (string | undefined)[];
	/** what the newer host says it runs in */
	readonly mode?: "tui" | "rpc";
	/** what a move in the session tree comes to; a text: it fails with it */
	readonly move?: { readonly cancelled: boolean } | string;
}

/** A message that the extension sent, with how. */
export interface SentMessage {
	readonly message: {
		readonly customType: string;
		readonly content: unknown;
		readonly details?: unknown;
	};
	readonly options: Readonly<Record<string, unknown>> | undefined;
}

/** The fake and what happened to it. */
export interface FakePi {
	readonly pi: ExtensionAPI;
	readonly ctx: ExtensionCommandContext;
	/** the branch, appended entries at its end */
	readonly entries: SessionEntry[];
	readonly notices: { text: string; level: string }[];
	readonly sent: SentMessage[];
	/** titles and options of dialogs */
	readonly dialogs: { title: string; options: readonly string[] }[];
}

/** A model with the prices of the scripted one. */
export const PRICED = {
	provider: "p",
	id: "m",
	contextWindow: 200_000,
	cost: { input: 3, output: 15, cacheRead: 0.3, cacheWrite: 3.75 },
};

/** Makes one over a branch. */
export function fakePi(branch: readonly SessionEntry[], options: FakeOptions = {}): FakePi {
	const entries = [...branch];
	const fake = { entries, notices: [], sent: [], dialogs: [] };
	const { tools = ["bash", "send_dmail"], settings = {} } = options;
	const append = (fields: Record<string, unknown>) =>
		entries.push({
			id: `x${entries.length}`,
			parentId: entries.at(-1)?.id ?? null,
			timestamp: new Date().toISOString(),
			...fields,
		} as SessionEntry);
	const pi = {
		appendEntry: (customType: string, data: unknown) =>
			append({ type: "custom", customType, data }),
		sendMessage: (message: SentMessage["message"], how: SentMessage["options"]) => {
			(fake.sent as SentMessage[]).push({ message, options: how });
			// in a run a host holds it until the next request
			if (options.idle ?? true) append({ type: "custom_message", display: true, ...message });
		},
		getActiveTools: () => [...tools],
		getAllTools: () => tools.map((name) => ({ name, description: name, parameters: {} })),
		getFlag: () => undefined,
		getSettings: () => settings,
		setActiveTools: () => undefined,
	};
	return { ...fake, pi: pi as unknown as ExtensionAPI, ctx: contextOf(fake, options) };
}

function contextOf(
	fake: Omit<FakePi, "pi" | "ctx">,
	options: FakeOptions,
): ExtensionCommandContext {
	const { entries, notices, dialogs } = fake;
	const answers = [...(options.answers ?? [])];
	const byId = new Map(entries.map((entry) => [entry.id, entry]));
	const ask = (title: string, list: readonly string[]) => {
		dialogs.push({ title, options: list });
		const answer = answers.shift();
		return Promise.resolve(list.find((one) => one.startsWith(answer ?? "\n")) ?? answer);
	};
	const context = {
		hasUI: options.hasUI ?? true,
		...(options.mode ? { mode: options.mode } : {}),
		cwd: "/",
		model: "model" in options ? options.model : PRICED,
		modelRegistry: { find: () => undefined },
		isIdle: () => options.idle ?? true,
		waitForIdle: () => Promise.resolve(),
		navigateTree: (id: string) => moveTo(fake, id, options.move ?? { cancelled: false }),
		getSystemPrompt: () => options.systemPrompt ?? "You are helpful.",
		sessionManager: {
			// appended ones are few, and come last
			getEntry: (id: string) => byId.get(id) ?? entries.findLast((entry) => entry.id === id),
			getEntries: () => entries,
			getLeafId: () => entries.at(-1)?.id ?? null,
			getSessionId: () => "fake",
			buildSessionProjection: undefined,
		},
		ui: {
			notify: (text: string, level: string) => notices.push({ text, level }),
			setStatus: () => undefined,
			select: ask,
			editor: (title: string) => ask(title, []),
			custom: () => Promise.resolve(undefined),
		},
	};
	return context as unknown as ExtensionCommandContext;
}

/** A move that succeeds leaves what came after its target behind. */
async function moveTo(
	{ entries }: Pick<FakePi, "entries">,
	id: string,
	move: { readonly cancelled: boolean } | string,
): Promise<{ cancelled: boolean }> {
	if (typeof move === "string") throw new Error(move);
	if (!move.cancelled) entries.splice(entries.findIndex((entry) => entry.id === id) + 1);
	return move;
}
