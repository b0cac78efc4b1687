// `npm run demo`: a real pi of each generation folds its own steps away, on a scripted model. Prints what
// was sent for every request and checks it; exits 1 at the first check that does not hold.

import process from "node:process";
import { type Column, drawTable } from "../src/report/table.ts";
import { HOSTS } from "../test/support/real-pi.ts";
import { chipsOf } from "../test/support/wire.ts";
import { CHECKS } from "./checks.ts";
import { type Played, play } from "./play.ts";
import { TURNS } from "./scenario.ts";

interface Row {
	readonly request: number;
	readonly sent: number;
	readonly raw: number;
	readonly cacheRead: number;
	readonly cacheWrite: number;
	readonly reply: string;
}

const number = (head: string, cell: (row: Row) => number): Column<Row> => ({
	head,
	align: "right",
	rank: 0,
	cell: (row) => cell(row).toLocaleString("en"),
});

const COLUMNS: readonly Column<Row>[] = [
	number("#", (row) => row.request),
	number("sent", (row) => row.sent),
	number("raw", (row) => row.raw),
	number("cache read", (row) => row.cacheRead),
	number("cache write", (row) => row.cacheWrite),
	{ head: "what the model answered", align: "left", rank: 1, cell: (row) => row.reply },
];

const started = Date.now();
const runs = await Promise.all(HOSTS.map(play));
for (const run of runs) print(run);
const failed = runs.flatMap(failures);
for (const failure of failed) console.error(`FAILED ${failure}`);
if (failed.length > 0) process.exitCode = 1;
else {
	const seconds = ((Date.now() - started) / 1_000).toFixed(1);
	console.log(
		`ok  pi ${HOSTS.join(" and ")}: ${CHECKS.length} checks each hold, in ${seconds} seconds`,
	);
}

function print(run: Played): void {
	console.log(
		`pi ${run.host}: messages of each request, in tokens (cache with the system prompt)\n`,
	);
	console.log(
		drawTable(
			COLUMNS,
			run.requests.map((_, index) => rowOf(run, index)),
			{
				kind: "pipe",
				columns: 100,
				colour: false,
			},
		),
	);
	const chips = run.on.flatMap(chipsOf);
	if (run.host === HOSTS.at(-1))
		console.log(`A chip as the model sees it:\n\n${chips.at(-1) ?? "(none)"}\n`);
}

function rowOf(run: Played, index: number): Row {
	const { cacheRead = 0, cacheWrite = 0 } = run.requests[index] ?? {};
	const turn = TURNS[index];
	const calls = turn?.calls?.map(({ name, args }) =>
		[name, args["path"] ?? args["command"] ?? ""].join(" ").trimEnd(),
	);
	return {
		request: index + 1,
		sent: run.sent[index] ?? 0,
		raw: run.raw[index] ?? 0,
		cacheRead,
		cacheWrite,
		reply: calls?.join(", ") ?? turn?.text ?? "",
	};
}

function failures(run: Played): string[] {
	return CHECKS.flatMap(([name, holds]) => {
		try {
			holds(run);
			return [];
		} catch (error) {
			return [`pi ${run.host}: ${name}: ${error instanceof Error ? error.message : error}`];
		}
	});
}
