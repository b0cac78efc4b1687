// Talks to a real `pi --mode rpc`: sends commands, awaits events, answers dialogs. Never answers a dialog
// it was not told how to answer: such a one is cancelled.

import type { ChildProcessWithoutNullStreams } from "node:child_process";
import { type Ended, endOf, type Home, type Launch, readWire, startPi } from "./real-pi.ts";

/** What pi says on its standard output; the fields depend on the type. */
export interface RpcEvent {
	readonly type: string;
	readonly [field: string]: unknown;
}

type Said = { value: string } | { confirmed: boolean };

/** How a dialog of an extension is answered, by its method and title; "later": by `answerOpen`. */
export type Answer = (dialog: RpcEvent) => Said | "later" | undefined;

const DIALOGS = ["select", "confirm", "input", "editor"];
/** A later one of these means that another run follows, which has an end of its own. */
const RUNS = ["agent_start", "auto_retry_start", "turn_start"];

/** A running pi. End it with `close` or `kill`. */
export class RpcPi {
	/** everything said so far, in order */
	readonly events: RpcEvent[] = [];
	/** what ended it, once it has ended */
	readonly ended: Promise<Ended>;
	private readonly home: Home;
	private readonly child: ChildProcessWithoutNullStreams;
	private readonly answer: Answer;
	/** dialogs that nobody has answered yet */
	private readonly open: RpcEvent[] = [];
	private waiters: (() => void)[] = [];
	private gone = false;
	private count = 0;
	private rest = "";

	constructor(home: Home, launch: Launch, answer: Answer = () => undefined) {
		const from = readWire(home).length;
		const args = ["--mode", "rpc", ...(launch.args ?? [])];
		this.home = home;
		this.answer = answer;
		this.child = startPi(home, { ...launch, args });
		this.ended = endOf(home, this.child, from);
		this.child.stdout.on("data", (chunk) => this.read(chunk));
		this.child.on("close", () => {
			this.gone = true;
			this.wake();
		});
	}

	/** Sends a command and returns its response; a refused command is returned too. */
	async send(command: Record<string, unknown>): Promise<RpcEvent> {
		const id = `command-${this.count++}`;
		this.write({ id, ...command });
		return this.next(0, (event) => event.type === "response" && event["id"] === id);
	}

	/** Sends a prompt and waits until pi has nothing left to do; returns what it said meanwhile. */
	async ask(message: string): Promise<readonly RpcEvent[]> {
		const from = this.events.length;
		const response = await this.send({ type: "prompt", message });
		if (response["success"] !== true) throw new Error(`prompt refused: ${response["error"]}`);
		await this.settle(from);
		return this.events.slice(from);
	}

	/** Runs an extension's command, which needs no model; returns what pi said until it was done. */
	async command(message: string): Promise<readonly RpcEvent[]> {
		const from = this.events.length;
		const response = await this.send({ type: "prompt", message });
		if (response["success"] !== true) throw new Error(`command refused: ${response["error"]}`);
		return this.events.slice(from);
	}

	/** Waits until pi is idle after the run that began at or after event `from`. */
	async settle(from: number): Promise<void> {
		if (this.home.host !== "0.73.1") {
			await this.next(from, (event) => event.type === "agent_settled");
			return;
		}
		for (let seen = from; ; ) {
			// what came with the end in one piece is after it, too
			seen = 1 + (await this.position(seen, (event) => event.type === "agent_end"));
			if (await this.isDone(seen)) return;
		}
	}

	/** 0.73: whether nothing follows the run that ended before event `from`, a compaction waited for. */
	private async isDone(from: number): Promise<boolean> {
		for (;;) {
			// what follows an end (a retry, a compaction) is announced before a later command is answered
			const state = (await this.send({ type: "get_state" }))["data"];
			const later = this.events.slice(from);
			if (later.some((event) => RUNS.includes(event.type) || event["willRetry"] === true))
				return false;
			if (!isBusy(state)) return true;
			const compacted = (event: RpcEvent) => event.type === "compaction_end";
			if (!later.some(compacted)) await this.next(from, compacted);
		}
	}

	/** The first event from position `from` on that matches, waited for; throws where pi ends first. */
	async next(from: number, matches: (event: RpcEvent) => boolean): Promise<RpcEvent> {
		const event = this.events[await this.position(from, matches)];
		if (!event) throw new RangeError(`no event at or after ${from}`);
		return event;
	}

	private async position(from: number, matches: (event: RpcEvent) => boolean): Promise<number> {
		for (let at = from; ; at++) {
			while (at >= this.events.length) {
				if (this.gone) throw new Error(`pi ended: ${JSON.stringify(this.events.slice(-3))}`);
				await new Promise<void>((resolve) => this.waiters.push(resolve));
			}
			const event = this.events[at];
			if (event && matches(event)) return at;
		}
	}

	/** The texts of notices so far. */
	notices(): string[] {
		const notices = this.events.filter((event) => event["method"] === "notify");
		return notices.map((event) => String(event["message"]));
	}

	/** What an extension's status reads as now. */
	status(key: string): string | undefined {
		const isOurs = (event: RpcEvent) =>
			event["method"] === "setStatus" && event["statusKey"] === key;
		return this.events.findLast(isOurs)?.["statusText"] as string | undefined;
	}

	/** Answers every dialog that was left open. */
	answerOpen(answer: Said): void {
		for (const { id } of this.open.splice(0))
			this.write({ type: "extension_ui_response", id, ...answer });
	}

	/** Ends pi as a client that hangs up does. */
	close(): Promise<Ended> {
		this.child.stdin.end();
		return this.ended;
	}

	/** Ends pi as a crash does. */
	kill(): Promise<Ended> {
		this.child.kill("SIGKILL");
		return this.ended;
	}

	private read(chunk: string): void {
		const lines = (this.rest + chunk).split("\n");
		this.rest = lines.pop() ?? "";
		for (const line of lines) this.take(JSON.parse(line) as RpcEvent);
		this.wake();
	}

	private take(event: RpcEvent): void {
		this.events.push(event);
		if (event.type !== "extension_ui_request") return;
		if (!DIALOGS.includes(String(event["method"]))) return;
		const answer = this.answer(event) ?? { cancelled: true };
		if (answer === "later") this.open.push(event);
		else this.write({ type: "extension_ui_response", id: event["id"], ...answer });
	}

	private write(message: Record<string, unknown>): void {
		this.child.stdin.write(`${JSON.stringify(message)}\n`);
	}

	private wake(): void {
		const woken = this.waiters;
		this.waiters = [];
		for (const resolve of woken) resolve();
	}
}

function isBusy(state: unknown): boolean {
	const { isStreaming, isCompacting, pendingMessageCount } = (state ?? {}) as Record<
		string,
		unknown
	>;
	return isStreaming === true || isCompacting === true || Number(pendingMessageCount ?? 0) > 0;
}
