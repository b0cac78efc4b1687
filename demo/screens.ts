// `npm run screens`: writes docs/screens/*.txt, what a person sees of folding in a real terminal, and puts them
// where README.md names them. A real pi with a scripted model works on a copy of this project's own sources;
// nothing on the screens is typed in.

import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { EXTENSION, type Home, makeHome } from "../test/support/real-pi.ts";
import type { Turn } from "../test/support/scripted-provider.ts";
import { KEYS, openPi, type Terminal } from "../test/support/terminal.ts";
import { copySources } from "./play.ts";
import { SUMMARY, TURNS } from "./scenario.ts";

const TARGET = fileURLToPath(new URL("../docs/screens/", import.meta.url));
const README = fileURLToPath(new URL("../README.md", import.meta.url));
const SIZE = { columns: 84, rows: 64 };
const LIMIT_MS = 60_000;

const fold = (args: Record<string, unknown>) => ({ calls: [{ name: "send_dmail", args }] });

/** The look-up of the demo, and a fold in a turn of its own, so that all of it is on the screen. */
const SCRIPT: readonly Turn[] = [
	...TURNS.slice(0, 4),
	fold({ fromStep: 1, toStep: 4, preview: true }),
	fold({ fromStep: 1, toStep: 4, summary: SUMMARY }),
	{ text: "The limit is enforced where a record is decoded." },
	...TURNS.slice(6, 8),
	{ text: "A marker line is broken up with blanks." },
];

/** Lines of a screen, from the last one that matches to the one before the end, or to the last. */
interface Crop {
	readonly from: RegExp;
	readonly until?: RegExp;
}

const BORDER = /^─+$/;

function cropped(terminal: Terminal, { from, until }: Crop): string {
	const lines = terminal.lines();
	const first = lines.findLastIndex((line) => from.test(line));
	if (first < 0) throw new Error(`nothing on the screen matches ${from}\n${lines.join("\n")}`);
	const end = until ? lines.findIndex((line, at) => at > first && until.test(line)) : -1;
	const kept = lines.slice(first, end < 0 ? undefined : end).join("\n");
	return `${kept.replace(/\n{3,}/g, "\n\n").trimEnd()}\n`;
}

function save(name: string, text: string): void {
	writeFileSync(`${TARGET}${name}.txt`, text);
	console.log(`docs/screens/${name}.txt`);
	const place = new RegExp(`(<!-- screen ${name} -->\n\`\`\`\n)[\\s\\S]*?(\`\`\`\n)`);
	const readme = readFileSync(README, "utf8");
	writeFileSync(
		README,
		readme.replace(place, (_, head: string, end: string) => head + text + end),
	);
}

/** Works through the session and saves a screen wherever there is something to see. */
async function show(terminal: Terminal): Promise<void> {
	const see = (text: string | RegExp) => terminal.waitFor(text, LIMIT_MS);
	await see(/D-MAIL ON\s*$/m);
	await terminal.type("Where is the limit of a summary's length enforced?");
	await see("The limit is enforced");
	await see(/D-MAIL ON −/);
	save("fold", cropped(terminal, { from: /^ send_dmail preview/, until: BORDER }));
	terminal.press(KEYS.control("o"));
	await see("To read the original");
	save("fold-expanded", cropped(terminal, { from: /^ send_dmail steps/, until: BORDER }));
	terminal.press(KEYS.control("o"));
	await see("ctrl+o to expand");

	await terminal.type("And what happens to a line that looks like a marker?");
	await see("A marker line is broken up");
	await terminal.type("/dmail status");
	await see("cache: kept");
	save("status", cropped(terminal, { from: /^ \[dmail\] is on/, until: BORDER }));
	await terminal.type("/dmail price 8 9");
	await see("Prices: ");
	save("price", cropped(terminal, { from: /^ \[dmail\] folding/, until: BORDER }));
	await terminal.type("/dmail fold");
	await see("choose the first step");
	terminal.press(KEYS.down, KEYS.down);
	await see(/→ step 8/);
	save("picker", cropped(terminal, { from: /^Fold: choose/, until: BORDER }));
	terminal.press(KEYS.escape);
	await see("nothing was folded");

	const on = cropped(terminal, { from: /D-MAIL ON/ });
	await terminal.type("/dmail off");
	await see("D-MAIL OFF");
	save("badge", `${on}${cropped(terminal, { from: /D-MAIL OFF/ })}`);
}

const home: Home = makeHome("1.6.0");
try {
	mkdirSync(TARGET, { recursive: true });
	copySources(home);
	const terminal = openPi(home, { script: SCRIPT, extensions: [EXTENSION] }, SIZE);
	try {
		await show(terminal);
	} finally {
		await terminal.close();
	}
} finally {
	home.remove();
}
