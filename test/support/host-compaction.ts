// What each host itself prepares for a compaction. Neither exports it, so it is loaded by its file.

import { pathToFileURL } from "node:url";
import type { Preparation } from "../../src/pi/compaction-preparation.ts";
import type { Generation } from "../../src/session/branch.ts";
import type { SessionEntry } from "../../src/session/entry.ts";

/** Prepares a compaction of a branch; `undefined` where the host has nothing to compact. */
export type Prepare = (
	entries: readonly SessionEntry[],
	settings: object,
) => Preparation | undefined;

/** By host. */
export const PREPARE: Readonly<Record<Generation, Prepare>> = {
	"0.73": await prepareOf("@mariozechner"),
	"1.6": await prepareOf("@earendil-works"),
};

/** pi's settings for it, with so many tokens to keep. */
export function compactionSettings(keepRecentTokens: number) {
	return { enabled: true, reserveTokens: 1_000, keepRecentTokens };
}

async function prepareOf(scope: string): Promise<Prepare> {
	const path = `../../node_modules/${scope}/pi-coding-agent/dist/core/compaction/compaction.js`;
	const module = await import(new URL(path, pathToFileURL(import.meta.filename)).href);
	return module.prepareCompaction;
}
