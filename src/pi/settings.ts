// What the user set: the object `dmail` in pi's settings, global and of the project. Wrong values are
// answered with the default and one warning each, unknown keys with one for all; nothing here writes.

import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import type { ExtensionAPI, ExtensionContext } from "@mariozechner/pi-coding-agent";
import { getAgentDir } from "@mariozechner/pi-coding-agent";

export interface Settings {
	/** whether new sessions start with folding on */
	readonly enabled: boolean;
	/** when folds land: where it costs least, or at once */
	readonly timing: "auto" | "now";
	/** whether markers say when there is much to fold */
	readonly nudge: boolean;
	/** whether the extension folds by itself before pi would compact */
	readonly net: boolean;
	/** what was wrong, one sentence each */
	readonly warnings: readonly string[];
}

export const DEFAULTS: Settings = {
	enabled: true,
	timing: "auto",
	nudge: true,
	net: true,
	warnings: [],
};

type Fields = Readonly<Record<string, unknown>>;

/** Reads the settings of a session's project; where pi does not trust it, only the global ones. */
export function readSettings(pi: ExtensionAPI, ctx: ExtensionContext): Settings {
	const warnings: string[] = [];
	return checkSettings(readSetting(pi, ctx, "dmail", warnings), warnings);
}

/** One key of pi's settings, the project's over the global one but where it is `null`; unchecked. */
export function readSetting(
	pi: ExtensionAPI,
	ctx: ExtensionContext,
	key: string,
	warnings: string[] = [],
): unknown {
	return "getSettings" in pi ? fromHost(pi, key, warnings) : fromFiles(ctx.cwd, key, warnings);
}

/** Turns a raw `dmail` value into settings; anything but an object is a warning and the defaults. */
export function checkSettings(raw: unknown, earlier: readonly string[] = []): Settings {
	const warnings = [...earlier];
	if (raw === undefined) return { ...DEFAULTS, warnings };
	if (!isFields(raw)) {
		warnings.push(`settings: "dmail" must be an object like { "enabled": false }; using defaults`);
		return { ...DEFAULTS, warnings };
	}
	const flag = (key: "enabled" | "nudge" | "net"): boolean => {
		const value = raw[key];
		if (value === undefined || typeof value === "boolean") return value ?? DEFAULTS[key];
		warnings.push(`settings: "dmail.${key}" must be true or false; using ${DEFAULTS[key]}`);
		return DEFAULTS[key];
	};
	warnings.push(...warnUnknown(Object.keys(raw)));
	const timing = raw["timing"] ?? DEFAULTS.timing;
	if (timing !== "auto" && timing !== "now")
		warnings.push(`settings: "dmail.timing" must be "auto" or "now"; using "auto"`);
	return {
		enabled: flag("enabled"),
		timing: timing === "now" ? "now" : "auto",
		nudge: flag("nudge"),
		net: flag("net"),
		warnings,
	};
}

const KEYS = Object.keys(DEFAULTS).filter((key) => key !== "warnings");

function warnUnknown(keys: readonly string[]): string[] {
	const unknown = keys.filter((key) => !KEYS.includes(key)).map((key) => `"dmail.${key}"`);
	if (unknown.length === 0) return [];
	const are = unknown.length === 1 ? "is no setting" : "are no settings";
	return [`settings: ${unknown.join(", ")} ${are}; there are ${KEYS.join(", ")}`];
}

/**
 * pi 1.6 merges global and project settings itself, and leaves untrusted projects out. What a project's
 * `null` hides it does not tell.
 */
function fromHost(pi: ExtensionAPI, key: string, warnings: string[]): unknown {
	const host = pi as unknown as { getSettings(): Fields };
	const merged = host.getSettings()[key];
	return merged === null ? readGlobal(key, warnings) : merged;
}

function readGlobal(key: string, warnings: string[]): unknown {
	return readKey(join(getAgentDir(), "settings.json"), key, warnings);
}

/** 0.73 has no way to ask: both files are read, and the project's keys win. */
function fromFiles(cwd: string, key: string, warnings: string[]): unknown {
	const own = readGlobal(key, warnings);
	const project = readKey(join(cwd, ".pi", "settings.json"), key, warnings);
	if (isFields(own) && isFields(project)) return { ...own, ...project };
	return project ?? own;
}

function readKey(path: string, key: string, warnings: string[]): unknown {
	let text: string;
	try {
		if (!statSync(path).isFile()) return undefined; // a pipe may never end
		text = readFileSync(path, "utf8");
	} catch {
		return undefined; // no such file is the usual case, and means no settings
	}
	try {
		const parsed: unknown = JSON.parse(text);
		return isFields(parsed) ? parsed[key] : undefined;
	} catch {
		warnings.push(`settings: ${path} is not JSON; using defaults`);
		return undefined;
	}
}

function isFields(value: unknown): value is Fields {
	return typeof value === "object" && value !== null && !Array.isArray(value);
}
