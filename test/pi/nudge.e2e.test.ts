// Nudges on real pis: in a small window the marker says when there is much to fold, costs no cache, stops
// after three and at a refused fold, and can be switched off.

import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { FIRST_PROMPT, SECOND_PROMPT, writeParts } from "../support/folding-run.ts";
import {
	call,
	EXTENSION,
	HOSTS,
	type Home,
	type HostVersion,
	makeHome,
	runPrint,
	writeSettings,
} from "../support/real-pi.ts";
import type { Turn } from "../support/scripted-provider.ts";
import { assertMarkers, assertPrefixes, markersOf, type WireRequest } from "../support/wire.ts";

/** A nudge is due at a quarter of it, 900 tokens: two parts. */
const WINDOW = "3600";

const read = (name: string) => call("bash", { command: `cat ${name}.txt` });
const fold = (fromStep: number, summary: string) => call("send_dmail", { fromStep, summary });

function homeOf(t: TestContext, host: HostVersion, dmail: object = {}): Home {
	const home = makeHome(host);
	t.after(() => home.remove());
	writeParts(home);
	// the window is smaller than what pi keeps free of it
	writeSettings(home, { compaction: { enabled: false }, dmail: { timing: "now", ...dmail } });
	return home;
}

async function send(
	home: Home,
	prompt: string,
	script: readonly (Turn | string)[],
	args: readonly string[] = [],
) {
	const env = { SCRIPTED_WINDOW: WINDOW };
	const run = await runPrint(home, prompt, { script, extensions: [EXTENSION], env, args });
	assert.deepEqual([run.code, run.stderr], [0, ""]);
	return run.requests;
}

/** The nudges of a request, as `step: the steps it names, the call`. */
function nudgesOf(request: WireRequest | undefined): string[] {
	const texts = request?.messages.flatMap(({ content }) =>
		content.map((block) => block.text ?? ""),
	);
	return (texts ?? []).flatMap((text) => {
		const found =
			/^\[step (\d+)\] (Steps? [\d–]+) .* ~\d+k? tokens .* send_dmail with (fromStep.*) and/.exec(
				text,
			);
		return found ? [`${found[1]}: ${found[2]}, ${found[3]}`] : [];
	});
}

for (const host of HOSTS) {
	test(`${host}: a nudge at each doubling, none after a refused fold, anew after a fold and a resume`, async (t) => {
		const home = homeOf(t, host);
		const first = await send(home, FIRST_PROMPT, [
			...["a", "b", "c", "d"].map(read),
			fold(9, "no such step"),
			...["e", "f"].map(read),
			"half of it is read",
		]);
		assert.deepEqual(nudgesOf(first.at(-1)), [
			"3: Steps 1–2, fromStep 1",
			"5: Steps 1–4, fromStep 1",
			"8: Steps 5–7, fromStep 5",
		]);
		const second = await send(
			home,
			SECOND_PROMPT,
			[fold(1, "Parts a to f hold tildes."), ...["g", "h"].map(read), "all is read"],
			["-c"],
		);
		const requests = [...first, ...second];
		assertPrefixes(requests, [9]);
		for (const request of requests) assertMarkers(request);
		assert.deepEqual(nudgesOf(second[0]), nudgesOf(first.at(-1)));
		assert.deepEqual(nudgesOf(second.at(-1)), ["12: Steps 9–11, fromStep 9"]);
	});

	test(`${host}: dmail.nudge is false: markers are labels; a call refused twice is answered alike`, async (t) => {
		const home = homeOf(t, host, { nudge: false });
		const refused = fold(99, "no such step");
		const script = [read("a"), refused, read("b"), refused, read("c"), "read"];
		const requests = await send(home, FIRST_PROMPT, script);
		assert.equal(requests.length, 6);
		assert.deepEqual(requests.flatMap(nudgesOf), []);
		const answers = requests.at(-1)?.messages.filter((message) => message.isError) ?? [];
		const [first, second] = answers.map((message) => message.content[0]?.text);
		assert.match(first ?? "", /^there is no step 99; step 1 can be folded$/);
		assert.equal(second, first);
	});

	test(`${host}: where our tool is not among those that are offered, no step is labelled or named`, async (t) => {
		const home = homeOf(t, host);
		const script = [...["a", "b", "c", "d"].map(read), "read"];
		const requests = await send(home, FIRST_PROMPT, script, ["--tools", "bash"]);
		assert.equal(requests.length, 5);
		for (const request of requests) {
			assert.deepEqual(request.tools, ["bash"]);
			assert.deepEqual([markersOf(request), nudgesOf(request)], [[], []]);
		}
		assertPrefixes(requests, []);
	});
}
