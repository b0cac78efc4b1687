// Plays the scenario on a real pi of one generation, in a temporary home, on a copy of this project's
// own sources. Leaves nothing behind.

import { cpSync, existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { measure } from "../src/profile/measure.ts";
import type { Profile } from "../src/profile/profile.ts";
import { estimateTokens } from "../src/session/size.ts";
import type { RawSize } from "../test/support/neighbours/log-raw.ts";
import {
	EXTENSION,
	type Home,
	type HostVersion,
	makeHome,
	neighbour,
	sessionFile,
} from "../test/support/real-pi.ts";
import { RpcPi } from "../test/support/real-pi-rpc.ts";
import type { WireRequest } from "../test/support/wire.ts";
import { PROMPTS, TURNS } from "./scenario.ts";

/** What came of it. */
export interface Played {
	readonly host: HostVersion;
	readonly code: number | null;
	readonly stderr: string;
	readonly requests: readonly WireRequest[];
	/** the requests while D-Mail was on */
	readonly on: readonly WireRequest[];
	/** by request: its messages' size in tokens, estimated; and the size of the list pi had for it */
	readonly sent: readonly number[];
	readonly raw: readonly number[];
	/** the session file after each prompt */
	readonly sessions: readonly string[];
	/** what the profiler says of the session at its end */
	readonly profile: Profile | undefined;
	/** a part of the policy as it stands in the system prompt */
	readonly policy: string;
}

const COPIED = ["fold.ts", "src", "package.json"];

/** Runs pi through the prompts, with `/dmail off` before the last one. */
export async function play(host: HostVersion): Promise<Played> {
	const home = makeHome(host);
	try {
		return await playIn(home);
	} finally {
		home.remove();
	}
}

async function playIn(home: Home): Promise<Played> {
	copySources(home);
	const rawLog = join(home.root, "raw.jsonl");
	const pi = new RpcPi(home, {
		script: TURNS,
		extensions: [neighbour("log-raw"), EXTENSION],
		env: { RAW_LOG: rawLog },
	});
	const sessions: string[] = [];
	for (const prompt of PROMPTS) {
		if (prompt === PROMPTS.at(-1)) await pi.command("/dmail off");
		await pi.ask(prompt);
		sessions.push(readFileSync(sessionFile(home), "utf8"));
	}
	const { code, stderr, requests } = await pi.close();
	return {
		host: home.host,
		code,
		stderr,
		requests,
		on: requests.slice(0, -1),
		sent: requests.map(({ messages }) =>
			messages.reduce((sum, message) => sum + estimateTokens(message), 0),
		),
		raw: readRaw(rawLog).map(({ tokens }) => tokens),
		sessions,
		profile: measure(sessionFile(home)).profile,
		policy: readPolicy(),
	};
}

/** Copies this project's own sources to where a pi works: something real to look things up in. */
export function copySources(home: Home): void {
	for (const name of COPIED)
		cpSync(join(EXTENSION, name), join(home.cwd, name), { recursive: true });
}

function readRaw(file: string): RawSize[] {
	if (!existsSync(file)) return [];
	const lines = readFileSync(file, "utf8").trimEnd().split("\n");
	return lines.map((line) => JSON.parse(line) as RawSize);
}

function readPolicy(): string {
	const paragraphs = readFileSync(join(EXTENSION, "POLICY.md"), "utf8").split("\n\n");
	return paragraphs.find((paragraph) => !paragraph.startsWith("#"))?.trim() ?? "";
}
