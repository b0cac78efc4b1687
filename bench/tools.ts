// What our tools cost each request: their schemas and descriptions, as a host hands them to a provider.

import {
	EXTENSION,
	HOSTS,
	type HostVersion,
	makeHome,
	neighbour,
	runPrint,
} from "../test/support/real-pi.ts";
import type { WireRequest } from "../test/support/wire.ts";
import type { Ratio } from "./ratio.ts";

const LIMIT_TOKENS = 450;
const CHARS_PER_TOKEN = 4;

/** The ratios about the tools, one for each host. */
export const TOOL_RATIOS: readonly Ratio[] = HOSTS.map((host) => ({
	name: `pi ${host}: schema and description of send_dmail and read_dmail`,
	against: "the most they may take",
	atMost: 1,
	async measure() {
		const ours = await firstRequest(host, EXTENSION);
		const others = await firstRequest(host, neighbour("empty"));
		const added = ours.tools.filter((name) => !others.tools.includes(name));
		if (added.join() !== "send_dmail,read_dmail") throw new Error(`other tools: ${added}`);
		const value = (ours.toolChars - others.toolChars) / CHARS_PER_TOKEN;
		return { value, against: LIMIT_TOKENS, times: value / LIMIT_TOKENS, unit: "tokens" };
	},
}));

async function firstRequest(host: HostVersion, extension: string): Promise<WireRequest> {
	const home = makeHome(host);
	try {
		const launch = { script: ["hello"], extensions: [extension], args: ["--no-session"] };
		const { requests, stderr } = await runPrint(home, "hi", launch);
		const [request] = requests;
		if (!request) throw new Error(`pi ${host} sent nothing: ${stderr}`);
		return request;
	} finally {
		home.remove();
	}
}
