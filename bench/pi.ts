// What the extension costs a real pi: its start, and what a fold adds to the session file.

import { play } from "../demo/play.ts";
import {
	EXTENSION,
	HOSTS,
	type HostVersion,
	makeHome,
	neighbour,
	runPrint,
} from "../test/support/real-pi.ts";
import { type Ratio, timeProcesses } from "./ratio.ts";

const ROUNDS = 15;
const KILOBYTE = 1_024;

/** The ratios about a process and its file. */
export const PI_RATIOS: readonly Ratio[] = [
	{
		name: "the largest fold record of the demo, beside its summary",
		against: "1 KB",
		atMost: 1,
		async measure() {
			const { sessions } = await play("1.6.0");
			const value = Math.max(...recordSizes(sessions.at(-1) ?? ""));
			return { value, against: KILOBYTE, times: value / KILOBYTE, unit: "bytes" };
		},
	},
	...HOSTS.map(startRatio),
];

/** Bytes of each fold record's line without its summary; throws where there is none. */
function recordSizes(session: string): number[] {
	const lines = session.split("\n").filter((line) => line.includes('"customType":"dmail.fold"'));
	if (lines.length === 0) throw new Error("the demo stored no fold");
	return lines.map((line) => {
		const summary = JSON.stringify(JSON.parse(line).data.summary);
		return Buffer.byteLength(line) - Buffer.byteLength(summary);
	});
}

function startRatio(host: HostVersion): Ratio {
	return {
		name: `pi ${host}: a warm start, one answer, with the extension`,
		against: "with an empty one",
		atMost: 1.15,
		async measure() {
			const home = makeHome(host);
			const start = async (extension: string) => {
				const { code, stderr } = await runPrint(home, "hi", {
					script: ["hello"],
					extensions: [extension],
					args: ["--no-session"],
				});
				if (code !== 0) throw new Error(`pi ${host} ended with ${code}: ${stderr}`);
			};
			try {
				return await timeProcesses({
					rounds: ROUNDS,
					ours: () => start(EXTENSION),
					theirs: () => start(neighbour("empty")),
				});
			} finally {
				home.remove();
			}
		},
	};
}
