// `/dmail land`, and what the commands say of folds that wait inside one another.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { LAND } from "../../src/pi/command-land.ts";
import type { Dmail } from "../../src/pi/dmail.ts";
import { heldFolds } from "../../src/pi/moment.ts";
import { typeCommands } from "../support/fake-commands.ts";
import type { FakePi } from "../support/fake-pi.ts";
import { fake, fold, sceneOf, WARM } from "./held-session.ts";

test("of held folds inside one another the outermost lands, and list, status and land say so", async () => {
	const pi = fake(WARM);
	const [inner, outer] = [fold(pi, 1, 1).id, fold(pi, 1, 2).id];
	assert.deepEqual(
		heldFolds(sceneOf(pi)).map((one) => one.fold.record.id),
		[outer],
	);
	const { run } = typeCommands(pi.entries);
	assert.match(
		await run("/dmail status"),
		/folds: 0 landed, 2 held \(1 superseded by others that are held\), 0 skipped\n/,
	);
	const list = await run("/dmail list");
	assert.match(list, new RegExp(`${inner}  step 1 .* held, superseded by ${outer}  model`));
	assert.match(list, new RegExp(`${outer}  steps 1–2 .* held +model`));
	assert.match(
		await run(`/dmail land ${inner}`),
		new RegExp(`^refused: .*fold ${inner} is superseded by fold ${outer}`),
	);
	await run(`/dmail drop ${outer}`);
	assert.doesNotMatch(await run("/dmail list"), /superseded/);
});

test("behind one id that lands, the others are offered, and first none of them", () => {
	const pi = fake(WARM);
	const [b, a] = [fold(pi, 2, 2).id, fold(pi, 1, 1).id];
	const { complete } = typeCommands(pi.entries);
	const offered = (typed: string) => complete("dmail", typed)?.map(({ value }) => value);
	assert.deepEqual(offered("land ")?.toSorted(), ["land ", `land ${a}`, `land ${b}`].toSorted());
	assert.equal(offered(`land ${a}`), undefined, "all is typed: Enter runs it");
	assert.deepEqual(offered(`land ${a} `), [`land ${a} `, `land ${a} ${b}`]);
});

describe("/dmail land", () => {
	const dmail = (enabled: boolean) =>
		({
			mode: { enabled },
			settings: { timing: "auto" },
			recount: () => undefined,
		}) as unknown as Dmail;

	async function land(pi: FakePi, argument: string, enabled = true): Promise<string> {
		await LAND.run({ pi: pi.pi, ctx: pi.ctx, dmail: dmail(enabled), argument });
		return pi.notices.at(-1)?.text ?? "";
	}

	test("lands all that is held, or what is named; says so where nothing changes", async () => {
		const pi = fake(WARM);
		assert.match(await land(pi, ""), /no fold is held; nothing changed/);
		const [b, a] = [fold(pi, 2, 2).id, fold(pi, 1, 1).id];
		const count = pi.entries.length;
		assert.match(await land(pi, "zz"), new RegExp(`fold zz is not held; held are ${a}, ${b}`));
		assert.match(await land(pi, "", false), /is off, nothing lands/);
		assert.equal(pi.entries.length, count);
		assert.match(
			await land(pi, b),
			new RegExp(`fold ${b} lands with the next request: it costs \\$`),
		);
		assert.match(await land(pi, ""), new RegExp(`fold ${a} lands`));
		const states = sceneOf(pi).replayer.folds.map(({ state }) => state);
		assert.deepEqual([states, pi.entries.length], [["landed", "landed"], count + 2]);
	});
});
