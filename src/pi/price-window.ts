// The window of the model in use, and how much of it pi keeps free: pi's own compaction settings. Reads
// only; a setting of a wrong type counts as pi's default.

import type { ExtensionAPI, ExtensionContext } from "@mariozechner/pi-coding-agent";
import { readSetting } from "./settings.ts";

/** How much a request may hold before pi compacts. */
export interface Window {
	/** the model's context window in tokens; 0 where it is unknown */
	readonly tokens: number;
	/** tokens that pi keeps free; 0 where it does not compact by itself */
	readonly reserve: number;
	/** whether pi compacts by itself at all */
	readonly compacts: boolean;
}

/** Both hosts' default, settings-defaults.js and settings-manager.js. */
const RESERVE = 16_384;

/** Reads the window and the compaction settings that apply to the model in use. */
export function windowOf(pi: ExtensionAPI, ctx: ExtensionContext): Window {
	const { model } = ctx;
	const settings = fieldsOf(readSetting(pi, ctx, "compaction"));
	const compacts = settings["enabled"] !== false;
	// per model since 1.x; 0.73 has no such key
	const override = fieldsOf(
		fieldsOf(settings["modelOverrides"])[model ? `${model.provider}/${model.id}` : ""],
	);
	const reserve = tokensIn(override) ?? tokensIn(settings) ?? RESERVE;
	return { tokens: model?.contextWindow ?? 0, reserve: compacts ? reserve : 0, compacts };
}

/** Tokens left before pi compacts, or before the window is full; `null` where the window is unknown. */
export function roomIn(window: Window, prompt: number): number | null {
	return window.tokens > 0 ? window.tokens - window.reserve - prompt : null;
}

function tokensIn(settings: Readonly<Record<string, unknown>>): number | undefined {
	const value = settings["reserveTokens"];
	return typeof value === "number" && Number.isSafeInteger(value) && value >= 0 ? value : undefined;
}

function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
	return typeof value === "object" && value !== null
		? (value as Readonly<Record<string, unknown>>)
		: {};
}
