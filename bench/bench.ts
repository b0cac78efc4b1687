// `npm run bench`: what folding costs, as ratios with bounds. Prints one table; exits 1 where a bound is
// broken. Nothing else should run on the machine meanwhile. `npm run bench -- listing memory` measures only
// what has one of these words in its name.

import process from "node:process";
import { type Column, drawTable } from "../src/report/table.ts";
import { GROWTH_RATIOS } from "./growth.ts";
import { LIMIT_RATIOS } from "./limits.ts";
import { PI_RATIOS } from "./pi.ts";
import { PICKER_RATIOS } from "./picker.ts";
import { PROFILE_RATIOS } from "./profile.ts";
import type { Measured, Ratio } from "./ratio.ts";
import { REPLAY_RATIOS } from "./replay.ts";
import { TOOL_RATIOS } from "./tools.ts";

interface Row {
	readonly ratio: Ratio;
	readonly measured: Measured;
}

const COLUMNS: readonly Column<Row>[] = [
	{ head: "measured", align: "left", rank: 0, cell: ({ ratio }) => ratio.name },
	{ head: "", align: "right", rank: 0, cell: ({ measured }) => amount(measured.value, measured) },
	{ head: "against", align: "left", rank: 0, cell: ({ ratio }) => ratio.against },
	{ head: "", align: "right", rank: 0, cell: ({ measured }) => amount(measured.against, measured) },
	{ head: "ratio", align: "right", rank: 0, cell: ({ measured }) => measured.times.toFixed(2) },
	{ head: "at most", align: "right", rank: 0, cell: ({ ratio }) => ratio.atMost.toFixed(2) },
	{ head: "", align: "left", rank: 0, cell: (row) => (isKept(row) ? "ok" : "BROKEN") },
];

const rows: Row[] = [];
const ratios = [
	...REPLAY_RATIOS,
	...LIMIT_RATIOS,
	...GROWTH_RATIOS,
	...PICKER_RATIOS,
	...PI_RATIOS,
	...TOOL_RATIOS,
	...PROFILE_RATIOS,
];
const words = process.argv.slice(2);
const wanted = (name: string) => words.length === 0 || words.some((word) => name.includes(word));
for (const ratio of ratios.filter(({ name }) => wanted(name)))
	rows.push({ ratio, measured: await ratio.measure() });
console.log(drawTable(COLUMNS, rows, { kind: "pipe", columns: 160, colour: false }));
const broken = rows.filter((row) => !isKept(row));
for (const { ratio } of broken) console.error(`BROKEN ${ratio.name}`);
if (broken.length > 0) process.exitCode = 1;

function isKept({ ratio, measured }: Row): boolean {
	return measured.times <= ratio.atMost;
}

function amount(value: number, { unit }: Measured): string {
	return `${unit === "ms" ? value.toFixed(1) : Math.round(value)} ${unit}`;
}
