import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { onDemand } from "../../src/pi/on-demand.ts";

const ROOM = new URL("../../src/pi/", import.meta.url);

test("loads never overlap, each is made once, and a failed one holds up no other", async () => {
	const log: string[] = [];
	const make = (name: string) =>
		onDemand(async () => {
			log.push(`${name} begins`);
			await new Promise((resolve) => setTimeout(resolve, 5));
			log.push(`${name} ends`);
			if (name === "bad") throw new Error("no such file");
			return name;
		});
	const [a, bad, b] = [make("a"), make("bad"), make("b")];
	const [first, failed, other, again] = await Promise.allSettled([a(), bad(), b(), a()]);
	assert.deepEqual(
		[first, other, again].map((one) => one.status),
		Array(3).fill("fulfilled"),
	);
	assert.equal(failed.status, "rejected");
	const order = ["a begins", "a ends", "bad begins", "bad ends", "b begins", "b ends"];
	assert.deepEqual(log, order);
});

test("every import at run time is on demand", () => {
	for (const name of readdirSync(ROOM)) {
		const source = readFileSync(new URL(name, ROOM), "utf8");
		const imports = source.match(/\bimport\(/g)?.length ?? 0;
		const demands = source.match(/\bonDemand\([^;]*?\bimport\(/g)?.length ?? 0;
		assert.equal(imports, demands, name);
	}
});
