// Leads a real pi through the life of its sessions, and compares after each step what the extension does with
// what the session files say: what was sent, the badge, the numbers of `/dmail status`, what was appended.

import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { firstNudgeAt, foldContext, type Marks, Replayer, type View } from "../../fold.ts";
import { formatCount } from "../../src/pi/badge.ts";
import { savedBy } from "../../src/pi/saving.ts";
import { type Generation, projection, readBranch, walk } from "../../src/session/branch.ts";
import type { PiMessage, SessionEntry } from "../../src/session/entry.ts";
import { readSession } from "../../src/session/file.ts";
import { piHost } from "../../src/session/message.ts";
import { type Home, type Launch, readWire } from "./real-pi.ts";
import { type RpcEvent, RpcPi } from "./real-pi-rpc.ts";
import type { Turn } from "./scripted-provider.ts";
import { AS_TOLD, promptFor } from "./told-script.ts";
import { pairFaults, type WireMessage, type WireRequest } from "./wire.ts";

/** The window that the model claims: so small that a nudge is due, too large for anything to land by it. */
const WINDOW = 40_000;

/** One pi and the session it stands in. End it with `end`. */
export class SessionLife {
	readonly pi: RpcPi;
	/** the session's file; "" before the host has named it */
	file = "";
	/** whether folding is on, as the test knows it */
	on = true;
	/** the model that is asked */
	model = "s1";
	private readonly home: Home;
	private readonly generation: Generation;
	/** where the test has moved to; `undefined`: at the newest entry of the file */
	private moved: string | null | undefined;
	private prompts = 0;

	private constructor(home: Home, pi: RpcPi) {
		this.home = home;
		this.generation = home.host === "0.73.1" ? "0.73" : "1.6";
		this.pi = pi;
	}

	/** Starts a pi and looks where it stands. A dialog stays open until the test answers it. */
	static async start(home: Home, launch: Omit<Launch, "script">): Promise<SessionLife> {
		const env = { SCRIPTED_WINDOW: String(WINDOW), ...launch.env };
		const pi = new RpcPi(home, { ...launch, env, script: AS_TOLD }, () => "later");
		const life = new SessionLife(home, pi);
		await life.look();
		return life;
	}

	/** Asks the host which session this is, and stands at its end. */
	async look(): Promise<void> {
		const state = (await this.pi.send({ type: "get_state" }))["data"] as { sessionFile?: string };
		this.file = state.sessionFile ?? "";
		this.moved = undefined;
	}

	/** The entries of the session as they are stored; none before the file is written. */
	get entries(): readonly SessionEntry[] {
		const text = this.text;
		return text === "" ? [] : readSession(this.file).entries;
	}

	/** What is stored of the session; "" before its file is written. */
	get text(): string {
		return textOf(this.file);
	}

	get leafId(): string | null {
		return this.moved === undefined ? (this.entries.at(-1)?.id ?? null) : this.moved;
	}

	/** The branch up to an entry, root first. */
	branchTo(id: string | null): SessionEntry[] {
		const byId = new Map(this.entries.map((entry) => [entry.id, entry]));
		return walk((one) => byId.get(one), id);
	}

	/** Records of ours on the branch in hand, by type. */
	records(): string[] {
		return this.branchTo(this.leafId).flatMap((entry) =>
			entry.type === "custom" && entry.customType.startsWith("dmail.") ? [entry.customType] : [],
		);
	}

	/** The user says something and the model answers with these turns; every request is compared. */
	async ask(label: string, turns: readonly (Turn | string)[] = ["Fine."]): Promise<WireRequest[]> {
		return this.during(label, async () => {
			await this.pi.ask(promptFor(`${label} (${this.prompts++})`, turns));
		});
	}

	/** Compares every request that is sent while something runs, with what the file says of it. */
	async during(label: string, run: () => Promise<void>): Promise<WireRequest[]> {
		const [before, sentBefore] = [this.entries.length, readWire(this.home).length];
		await run();
		this.moved = undefined;
		const sent = readWire(this.home).slice(sentBefore);
		const replies = this.entries.slice(before).filter(isAnswer);
		assert.equal(sent.length, replies.length, `${label}: one request for each reply`);
		for (const [index, request] of sent.entries()) {
			this.compare(request, replies[index] ?? assert.fail(), `${label}: request ${index}`);
		}
		return sent;
	}

	/** Compares a request with what the file says was sent for a reply. */
	private compare(request: WireRequest, reply: SessionEntry, label: string): void {
		const stored = this.branchTo(reply.parentId);
		assert.deepEqual(request.messages, this.viewOf(stored).messages.flatMap(asSent), label);
		assert.equal(request.tools.includes("send_dmail"), this.on, `${label}: the tool`);
		// where 0.73 ends a run with its session it loses the result of the tool that ran
		const lost = pairFaults(this.rawOf(stored).flatMap(asSent)).map(({ callId }) => callId);
		const faults = pairFaults(request.messages).filter(({ callId }) => !lost.includes(callId));
		assert.deepEqual(faults, [], label);
	}

	private viewOf(stored: readonly SessionEntry[]): View<PiMessage> {
		const branch = readBranch(stored, this.generation);
		if (this.on) return foldContext(branch, piHost, { asking: true, marks: MARKS });
		return { messages: this.rawOf(stored), sources: [], next: 0 };
	}

	private rawOf(stored: readonly SessionEntry[]): PiMessage[] {
		return projection(stored, this.generation).map(({ message }) => message);
	}

	/** Does something that must not append to the session: not a byte of its file may change. */
	async quietly(what: string, run: () => Promise<unknown>): Promise<void> {
		const [file, before] = [this.file, this.text];
		await run();
		const now = textOf(file);
		assert.equal(now.slice(before.length), "", `${what} appends nothing`);
		assert.ok(now.startsWith(before), `${what} changes nothing`);
	}

	/** Sends a command of the host that must succeed; then looks where pi stands. */
	async send(command: Record<string, unknown>): Promise<void> {
		const response = await this.pi.send(command);
		assert.equal(response["success"], true, JSON.stringify(response));
		await this.look();
	}

	/** Stands at another entry, as `/tree` does. */
	async moveTo(id: string, leafId: string | null = id): Promise<void> {
		await this.quietly("a move", () => this.pi.command(`/move-to ${id}`));
		this.moved = leafId;
	}

	/** Types a command of ours and returns what it answered. */
	async type(line: string): Promise<string> {
		const from = this.pi.notices().length;
		await this.pi.command(line);
		return this.pi.notices().slice(from).join("\n");
	}

	/**
	 * Compares badge and status with the file; returns the status.
	 *
	 * @param why what the switch is to say of itself
	 */
	async assertRight(label: string, why: RegExp): Promise<string> {
		let status = "";
		await this.quietly(`${label}: /dmail status`, async () => {
			status = await this.type("/dmail status");
		});
		const stored = this.branchTo(this.leafId);
		const branch = readBranch(stored, this.generation);
		const replayer = new Replayer(piHost);
		for (const entry of branch) replayer.push(entry);
		const count = (state: string) => replayer.folds.filter((fold) => fold.state === state).length;
		const view = this.viewOf(stored);
		const raw = this.rawOf(stored);
		const lines = status.split("\n");
		assert.match(lines[0] ?? "", this.on ? /^\[dmail\] is on / : /^\[dmail\] is off /, label);
		assert.match(lines[0] ?? "", why, label);
		const sizes =
			raw.length === 0 ? "nothing yet" : `${size(view.messages)} tokens sent now, ${size(raw)} raw`;
		assert.ok(
			lines[1]?.startsWith(`conversation: ${sizes}`),
			`${label}: ${lines[1]}, not ${sizes}`,
		);
		const folds = `folds: ${count("landed")} landed, ${count("held")} held`;
		assert.ok(lines[3]?.startsWith(folds), `${label}: ${lines[3]}, not ${folds}`);
		const saved = savedBy({ log: { branch }, replayer }, replayer.view());
		const badge = saved > 0 ? `D-MAIL ON −${formatCount(saved)}` : "D-MAIL ON";
		assert.equal(this.pi.status("dmail"), this.on ? badge : "⚠ D-MAIL OFF", label);
		// how long ago the cache was used is the clock's, and pi's own count of a prompt may be a moment behind
		return status
			.replace(/last used \d+ s ago/, "last used just now")
			.replace(/^next request: .*\n/m, "");
	}

	/** Ends pi: nothing may have gone wrong on the way. */
	async end(): Promise<void> {
		const { code, stderr } = await this.pi.close();
		assert.deepEqual([code, stderr], [0, ""]);
		assert.deepEqual(faults(this.pi.events), []);
	}
}

const MARKS: Marks = { folds: true, markers: true, nudgeAt: firstNudgeAt(WINDOW) };

/** Whether an entry is the model's; 1.6 stores a reply of its own where a run was aborted between two. */
function isAnswer(entry: SessionEntry): boolean {
	if (entry.type !== "message" || entry.message.role !== "assistant") return false;
	const { stopReason, usage } = entry.message;
	return stopReason !== "aborted" || (usage?.totalTokens ?? 0) > 0;
}

function textOf(file: string): string {
	return existsSync(file) ? readFileSync(file, "utf8") : "";
}

/** What pi reports of extensions that failed. */
function faults(events: readonly RpcEvent[]): RpcEvent[] {
	return events.filter(({ type }) => type === "extension_error");
}

function size(messages: readonly PiMessage[]): string {
	return `~${formatCount(messages.reduce((sum, message) => sum + piHost.tokens(message), 0))}`;
}

/** A message as the model gets it; attempts that failed are left out by every provider. */
function asSent(message: PiMessage): WireMessage[] {
	switch (message.role) {
		case "user":
		case "custom":
			return [{ role: "user", content: blocks(message.content) }];
		case "assistant":
			return message.stopReason === "error" || message.stopReason === "aborted"
				? []
				: [{ role: "assistant", content: blocks(message.content) }];
		case "toolResult": {
			const { toolCallId, toolName, isError, content } = message;
			return [{ role: "toolResult", toolCallId, toolName, isError, content: blocks(content) }];
		}
		case "system":
			return [];
		default:
			throw new Error(`no session of these tests has a message of the role ${message.role}`);
	}
}

function blocks(content: unknown): WireMessage["content"] {
	return typeof content === "string" ? [{ type: "text", text: content }] : (content as never);
}
