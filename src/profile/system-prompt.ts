// Whether a system message changes anything: the prompt and the tools that the messages before it made up,
// as hashes by part. Never their text.

import { createHash } from "node:crypto";
import type { SystemMessage } from "../session/entry.ts";

/** What a system message sets: by part its hash; null: the part goes. */
export interface SystemPatch {
	/** text that is added to the prompt, whatever stands there */
	readonly adds: boolean;
	readonly parts: ReadonlyMap<string, string | null>;
}

/** What a system message says of the parts of prompt and tools. Takes any JSON for its fields. */
export function patchOf({
	content,
	sections,
	toolsAdded,
	toolsRemoved,
}: SystemMessage): SystemPatch {
	const parts = new Map<string, string | null>();
	for (const [name, text] of Object.entries(sections ?? {}))
		parts.set(`section ${name}`, text === null ? null : hashOf(text));
	// one that goes and comes in the same message is there, as for pi
	for (const tool of listOf(toolsRemoved)) parts.set(partOfTool(tool), null);
	for (const tool of listOf(toolsAdded)) parts.set(partOfTool(tool), hashOf(tool));
	return { adds: content !== "" && listOf(content).length > 0, parts };
}

/** The system prompt and the tools along a branch. */
export class SystemPrompt {
	private readonly parts = new Map<string, string>();

	/** Takes the next message of the branch in, and says whether it changed them. */
	take({ adds, parts }: SystemPatch): boolean {
		let changed = adds;
		for (const [part, hash] of parts) {
			changed ||= this.parts.get(part) !== (hash ?? undefined);
			if (hash === null) this.parts.delete(part);
			else this.parts.set(part, hash);
		}
		return changed;
	}
}

function partOfTool(tool: unknown): string {
	const name = typeof tool === "object" && tool !== null && "name" in tool ? tool.name : tool;
	return `tool ${typeof name === "string" ? name : JSON.stringify(name)}`;
}

function listOf(value: unknown): readonly unknown[] {
	if (typeof value === "string") return [value];
	return Array.isArray(value) ? value : [];
}

function hashOf(value: unknown): string {
	return createHash("sha256")
		.update(JSON.stringify(value) ?? "")
		.digest("base64");
}
