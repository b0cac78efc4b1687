// What the extension knows of the session at hand. All of it can be read again from the session: it is
// set anew at every session start, so nothing leaks from one session into the next.

import type { ExtensionAPI, ExtensionContext } from "@mariozechner/pi-coding-agent";
import { type Badge, showBadge } from "./badge.ts";
import { CutQueue } from "./cut-queue.ts";
import {
	append,
	generationOf,
	type Log,
	readLog,
	readModes,
	replayLog,
	type Sessions,
} from "./log.ts";
import { decideMode, type Mode } from "./mode.ts";
import { harmless } from "./plain-text.ts";
import { readPolicy } from "./policy.ts";
import { problemsOf, savedBy } from "./saving.ts";
import { DEFAULTS, readSettings, type Settings } from "./settings.ts";
import { Turns } from "./turns.ts";

export const SEND_TOOL = "send_dmail";
export const READ_TOOL = "read_dmail";
/** The tools of ours, in the order in which they are offered. */
const TOOLS: readonly string[] = [SEND_TOOL, READ_TOOL];

export class Dmail {
	mode: Mode = { enabled: true, why: "the default" };
	settings: Settings = DEFAULTS;
	policy = "";
	/** the step that the newest request asked for; 0 before any */
	asked = 0;
	/** why nothing of ours was in the newest request, where its list was not the session's */
	astray: string | undefined;
	/** another extension that offers a tool of ours, and which: `<path> offers <tool>` */
	rival: string | undefined;
	/** calls of a batch decide in their order */
	readonly turns = new Turns();
	/** what is on its way to the model about a pinned cut */
	readonly cuts = new CutQueue();
	private readonly pi: ExtensionAPI;
	private readonly told = new Set<string>();
	private badge: Badge | undefined;
	/** whether the tool was offered when the run started; 0.73 keeps to that for the whole run */
	private offered = false;
	/** the newest switch record, as it was last seen */
	private recorded = { enabled: true, nudge: true };
	private sessionId = "";
	private lagging = false;
	/** where the session at hand is read from; a command's completion is asked without a context */
	private sessions: Sessions | undefined;

	constructor(pi: ExtensionAPI) {
		this.pi = pi;
	}

	/** Takes a session up: reads everything anew, whatever the reason it started for. */
	start(ctx: ExtensionContext): void {
		const id = ctx.sessionManager.getSessionId();
		if (id !== this.sessionId) this.told.clear();
		this.sessionId = id;
		this.sessions = { sessionManager: ctx.sessionManager, cwd: ctx.cwd };
		this.badge = undefined;
		this.asked = 0;
		this.astray = undefined;
		this.cuts.clear();
		this.lagging = generationOf(ctx) === "0.73";
		this.settings = readSettings(this.pi, ctx);
		const policy = readPolicy(process.env);
		this.policy = policy.text;
		for (const warning of [...this.settings.warnings, policy.warning])
			if (warning !== undefined) this.tell(ctx, warning);
		this.refresh(ctx);
	}

	/** The session ends: nothing of it may be read any more. */
	end(): void {
		this.sessions = undefined;
	}

	/** Whether the session has ended: pi takes nothing that is done or said for it any more. */
	get isOver(): boolean {
		return this.sessions === undefined;
	}

	/** The branch as it stands; `undefined` between two sessions. */
	log(): Log | undefined {
		return this.sessions && readLog(this.sessions);
	}

	/** Decides the mode anew, puts the tool set right and shows the badge. */
	refresh(ctx: ExtensionContext): void {
		const records = readModes(ctx);
		const newest = records.at(-1)?.record;
		this.recorded = newest ?? { enabled: true, nudge: true };
		this.mode = this.rival
			? { enabled: false, why: `${this.rival} too` }
			: decideMode({
					records,
					processStart: Date.now() - process.uptime() * 1_000,
					disabled: this.pi.getFlag("dmail-disabled") === true,
					setting: this.settings.enabled,
				});
		this.offerTools();
		this.offered = this.isToolListed();
		this.recount(ctx);
	}

	/** Looks at the folds of the session: says what cannot be applied, and returns what is saved. */
	private look(ctx: ExtensionContext): number {
		const log = readLog(ctx);
		if (!log.branch.some((entry) => entry.kind === "record")) return 0;
		const replayer = replayLog(log);
		for (const problem of problemsOf(replayer)) this.tell(ctx, problem);
		return savedBy({ log, replayer }, replayer.view());
	}

	/** The user's switch: one record if it changes anything. Says whether it did. */
	switch(ctx: ExtensionContext, enabled: boolean): boolean {
		if (this.mode.enabled === enabled) return false;
		append(this.pi, { kind: "mode", enabled, nudge: this.settings.nudge, by: "user" });
		const offered = this.offered;
		this.refresh(ctx);
		if (this.lagging && !ctx.isIdle()) this.offered = offered;
		return true;
	}

	/** Notes the state for whoever reads the session later, if it is not what the records say. */
	recordMode(): void {
		const { enabled } = this.mode;
		const { nudge } = this.settings;
		if (this.recorded.enabled === enabled && this.recorded.nudge === nudge) return;
		append(this.pi, { kind: "mode", enabled, nudge, by: "auto" });
		this.recorded = { enabled, nudge };
	}

	/** A run starts: the tools it is sent with are settled now. */
	startRun(): void {
		this.offered = this.isToolListed();
	}

	/** Whether the model is offered the tool in the next request. */
	isToolActive(): boolean {
		return this.lagging ? this.offered : this.isToolListed();
	}

	/** Looks at the folds anew after a record of ours: the badge says what is saved now. */
	recount(ctx: ExtensionContext): void {
		this.show(ctx, this.mode.enabled ? this.look(ctx) : 0);
	}

	/** Shows what folding saves now, in tokens; does nothing where the badge says so already. */
	show(ctx: ExtensionContext, saved: number, failed = false): void {
		const badge: Badge = { enabled: this.mode.enabled, saved, failed };
		const shown = this.badge;
		if (
			shown &&
			shown.enabled === badge.enabled &&
			shown.saved === saved &&
			shown.failed === failed
		)
			return;
		this.badge = badge;
		showBadge(ctx, badge);
	}

	/** What the user was warned of in this session, in order: a notice may be gone before it is read. */
	get warnings(): readonly string[] {
		return [...this.told];
	}

	/** Says something to the user, once a session. */
	tell(ctx: ExtensionContext, text: string): void {
		if (this.told.has(text)) return;
		this.told.add(text);
		say(ctx, text, "warning");
	}

	private isToolListed(): boolean {
		return !this.rival && this.pi.getActiveTools().includes(SEND_TOOL);
	}

	/** Offers or withdraws the tools. Asks first: setting the same tools again costs 0.73 its prompt. */
	private offerTools(): void {
		if (this.rival) return;
		const active = this.pi.getActiveTools();
		// a list of tools that the user gave to pi may leave some of ours out
		const known = new Set(this.pi.getAllTools().map(({ name }) => name));
		const wanted = this.mode.enabled ? TOOLS.filter((name) => known.has(name)) : [];
		const listed = active.filter((name) => TOOLS.includes(name));
		if (listed.length === wanted.length && wanted.every((name) => listed.includes(name))) return;
		this.pi.setActiveTools([...active.filter((name) => !TOOLS.includes(name)), ...wanted]);
	}
}

/** Answers the user: a notice where there is a screen or a client, stderr where there is neither. */
export function say(
	ctx: ExtensionContext,
	text: string,
	level: "info" | "warning" | "error" = "info",
): void {
	// names of models and files, ids, errors of others: any of it may be in the text
	const said = `[dmail] ${harmless(text)}`;
	if (ctx.hasUI) ctx.ui.notify(said, level);
	else process.stderr.write(`${said}\n`);
}
