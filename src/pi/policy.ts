// What the model is told about folding: POLICY.md, read once per session and injected as it is.

import { type Buffer, isUtf8 } from "node:buffer";
import { readFileSync, statSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { ExtensionAPI } from "@mariozechner/pi-coding-agent";
import type { Dmail } from "./dmail.ts";

/** Used where the policy file is missing, empty, too large or no text: enough to find the tool and use it safely. */
export const BUILT_IN_POLICY = `# Folding your context

A line [step N] names the step that follows it. When a stretch of steps is finished, call send_dmail(fromStep, summary) beside your next useful call: your summary takes the place of the steps from fromStep to the last completed one. Put into it what was done, learned and decided, what is open, and exact paths, commands and errors. Fold large finished stretches; do not fold what you still work from. Never write [step N] yourself.`;

/** Most that a policy file may hold, in bytes: it goes into every system prompt, and ours is 2 KB. */
const POLICY_LIMIT = 64 * 1024;

export interface Policy {
	readonly text: string;
	readonly warning?: string | undefined;
}

/** Reads the policy that `DMAIL_POLICY` names, else POLICY.md of this package. */
export function readPolicy(env: NodeJS.ProcessEnv): Policy {
	const path = env["DMAIL_POLICY"] || fileURLToPath(new URL("../../POLICY.md", import.meta.url));
	try {
		const stats = statSync(path);
		// asked before it is read: what is no file, a pipe or a device, may never end
		if (!stats.isFile()) return refuse(path, "is no regular file");
		if (stats.size > POLICY_LIMIT)
			return refuse(path, `has ${stats.size} bytes; at most ${POLICY_LIMIT} are taken`);
		const bytes = readFileSync(path);
		const fault = faultOf(bytes);
		return fault === undefined ? { text: bytes.toString("utf8").trim() } : refuse(path, fault);
	} catch (error) {
		const code = (error as NodeJS.ErrnoException).code ?? "unreadable";
		const warning = `policy: cannot read ${path} (${code}); using the built-in text`;
		return { text: BUILT_IN_POLICY, warning };
	}
}

function refuse(path: string, fault: string): Policy {
	return { text: BUILT_IN_POLICY, warning: `policy: ${path} ${fault}; using the built-in text` };
}

/** Why a file is no policy: a model must not be sent what is no text. */
function faultOf(bytes: Buffer): string | undefined {
	if (bytes.includes(0)) return "is not a text file: it has NUL bytes";
	if (!isUtf8(bytes)) return "is not a text file: it is not UTF-8";
	return bytes.toString("utf8").trim() === "" ? "is empty" : undefined;
}

/** Puts the policy into the system prompt of every run while folding is on and its tool is offered. */
export function registerPolicy(pi: ExtensionAPI, dmail: Dmail): void {
	pi.on("before_agent_start", (event) => {
		if (!dmail.mode.enabled || !dmail.isToolActive()) return undefined;
		const sections = sectionsOf(event.systemPromptOptions);
		if (!sections) return { systemPrompt: `${event.systemPrompt}\n\n${dmail.policy}` };
		// a named section becomes a patch of its own: the rest of the prompt stays cached
		sections["dmail"] = dmail.policy;
		return undefined;
	});
}

/** 1.6 builds its prompt of named sections that a handler may add to; 0.73 knows only the whole. */
function sectionsOf(options: unknown): Record<string, unknown> | undefined {
	const { sections } = (options ?? {}) as { sections?: Record<string, unknown> };
	return typeof sections === "object" && sections !== null ? sections : undefined;
}
