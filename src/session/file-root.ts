// Where pi keeps its sessions, by its own rules: environment and settings. Reads settings, and nothing else.

import { readFileSync } from "node:fs";
import { homedir } from "node:os";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import type { Fields } from "./damage.ts";
import { placeAt, refusalOf, type Unread } from "./file-place.ts";
import { isFields } from "./migration.ts";

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * The directory under which pi keeps the sessions of a project: `PI_CODING_AGENT_SESSION_DIR`, else `sessionDir`
 * of the project's `.pi/settings.json`, else that of the agent directory's settings, else `sessions` in the agent
 * directory (`PI_CODING_AGENT_DIR`, by default `~/.pi/agent`). pi asks for no trust in a project here, and takes
 * a project's empty `sessionDir` for the default.
 *
 * @param cwd where pi would be started, which is what relative paths are relative to
 * @param unread is told of settings that are read as if they said nothing
 */
export function sessionsRoot(env: Environment, cwd: string, unread: Unread = () => {}): string {
	const own = env["PI_CODING_AGENT_SESSION_DIR"];
	if (own) return resolve(cwd, pathOf(own) ?? own);
	const given = env["PI_CODING_AGENT_DIR"] || join(homedir(), ".pi", "agent");
	const agent = resolve(cwd, pathOf(given) ?? given);
	const project = settingOf(join(cwd, ".pi", "settings.json"), unread);
	const set = project ?? settingOf(join(agent, "settings.json"), unread);
	return set ? resolve(cwd, set) : join(agent, "sessions");
}

const IGNORED = "taken to say nothing";

/** The `sessionDir` of a file of settings; empty where it asks for the default, undefined where it says nothing. */
function settingOf(file: string, unread: Unread): string | undefined {
	const settings = settingsIn(file, unread);
	if (!settings || !Object.hasOwn(settings, "sessionDir")) return undefined;
	const value = settings["sessionDir"];
	if (value === null || value === "") return "";
	const path = typeof value === "string" ? pathOf(value) : undefined;
	if (path === undefined) unread(file, `its "sessionDir" is no path; ${IGNORED}`);
	return path;
}

function settingsIn(file: string, unread: Unread): Fields | undefined {
	const text = textIn(file, unread);
	if (text === "") return undefined;
	try {
		const settings: unknown = JSON.parse(text);
		if (isFields(settings)) return settings;
	} catch {}
	unread(file, `it is no JSON object; ${IGNORED}`);
	return undefined;
}

/** Empty where there is no such file. What is no file may never come to an end. */
function textIn(file: string, unread: Unread): string {
	const { kind, reason = "it is not a regular file" } = placeAt(file);
	if (kind === "nothing") return "";
	try {
		if (kind === "file") return readFileSync(file, "utf8").replace(/^\ufeff/, "");
		unread(file, `${reason}; ${IGNORED}`);
	} catch (error) {
		unread(file, `${refusalOf(error)}; ${IGNORED}`);
	}
	return "";
}

/** A path as pi takes it, from a home directory or a URL too; undefined for a URL that is none of a file here. */
function pathOf(text: string): string | undefined {
	if (text === "~" || text.startsWith("~/")) return join(homedir(), text.slice(1));
	if (!text.startsWith("file://")) return text;
	try {
		return fileURLToPath(text);
	} catch {
		return undefined;
	}
}
