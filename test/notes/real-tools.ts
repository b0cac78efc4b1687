// The tools of both hosts, run for real in a directory of their own; what they leave is told as the hosts
// store it: a throw is an error result with its message, a result may call itself an error.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestContext } from "node:test";
import * as recent from "@earendil-works/pi-coding-agent";
import * as old from "@mariozechner/pi-coding-agent";
import type { Block, SessionEntry } from "../../src/session/entry.ts";
import { call, type Draft, reply, result, session } from "../support/session-entries.ts";

export type Host = "0.73.1" | "1.6.0";
export const HOSTS: readonly Host[] = ["0.73.1", "1.6.0"];

export type ToolName = "bash" | "edit" | "find" | "grep" | "ls" | "read" | "write";

/** A call to be made: the tool, its arguments, and perhaps a signal that ends it. */
export interface Job {
	readonly name: ToolName;
	readonly args: Readonly<Record<string, unknown>>;
	readonly abortAfterMs?: number;
}

/** A directory that is gone after the test. */
export function workshop(t: TestContext): string {
	const directory = mkdtempSync(join(tmpdir(), "dmail-notes-"));
	t.after(() => rmSync(directory, { recursive: true, force: true }));
	return directory;
}

/** Runs the jobs one after the other and returns the entries of a session in which a model made them. */
export async function work(host: Host, cwd: string, jobs: readonly Job[]): Promise<SessionEntry[]> {
	const drafts: Draft[] = [];
	for (const [at, job] of jobs.entries()) {
		const id = `call_${at}`;
		drafts.push(reply("", call(id, job.name, job.args)), await run(host, cwd, id, job));
	}
	return session(...drafts);
}

interface Outcome {
	readonly content: readonly Block[];
	readonly details?: unknown;
	readonly isError?: boolean;
}

/** One tool of a host, without the types of its arguments: what a model sends is JSON. */
interface Tool {
	execute(id: string, args: unknown, signal: AbortSignal): Promise<Outcome>;
}

const MAKERS: Record<Host, Record<ToolName, (cwd: string) => unknown>> = {
	"0.73.1": {
		bash: old.createBashTool,
		edit: old.createEditTool,
		find: old.createFindTool,
		grep: old.createGrepTool,
		ls: old.createLsTool,
		read: old.createReadTool,
		write: old.createWriteTool,
	},
	"1.6.0": {
		bash: recent.createBashTool,
		edit: recent.createEditTool,
		find: recent.createFindTool,
		grep: recent.createGrepTool,
		ls: recent.createLsTool,
		read: recent.createReadTool,
		write: recent.createWriteTool,
	},
};

async function run(host: Host, cwd: string, id: string, job: Job): Promise<Draft> {
	const tool = MAKERS[host][job.name](cwd) as Tool;
	const abort = new AbortController();
	const timer =
		job.abortAfterMs === undefined ? undefined : setTimeout(() => abort.abort(), job.abortAfterMs);
	try {
		const { content, details, isError } = await tool.execute(id, job.args, abort.signal);
		return result(id, content, { details, isError: isError ?? false });
	} catch (error) {
		return result(id, error instanceof Error ? error.message : String(error), {
			details: {},
			isError: true,
		});
	} finally {
		clearTimeout(timer);
	}
}
