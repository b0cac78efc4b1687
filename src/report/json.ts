// The JSON of a profile: pieces to be written one after the other, since a long session has more rows than
// fit into one string.

import type { Profile } from "../profile/profile.ts";

/** C1 controls and separators, which `JSON.stringify` leaves as they are and a terminal acts on. */
const UNSAFE = /[\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g;

/** A value as JSON in which nothing is left that a terminal acts on; it parses to the same value. */
export function jsonText(value: unknown, indent?: number): string {
	return safe(JSON.stringify(value, null, indent));
}

function safe(text: string): string {
	return text.replace(UNSAFE, (found) => `\\u${found.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

/** How many request rows make a piece. */
const ROWS = 128;

/**
 * The profile as JSON with a line break at its end, one request or fold a line.
 *
 * @param last how many request rows to write, the newest ones; absent: all
 */
export function* writeJson(profile: Profile, last?: number): Generator<string> {
	const { requests } = profile;
	const from = last === undefined ? 0 : Math.max(0, requests.length - last);
	yield `{"version":${profile.version},\n"session":${jsonText(profile.session)},\n`;
	yield `"calibration":${jsonText(profile.calibration)},\n"requests":[`;
	for (let i = from; i < requests.length; ) {
		// a search a row would take longer than the row
		let rows = "";
		for (const end = Math.min(i + ROWS, requests.length); i < end; i++)
			rows += `${i > from ? "," : ""}\n${JSON.stringify(requests.at(i))}`;
		yield safe(rows);
	}
	yield `],\n"folds":[${profile.folds.map((fold) => `\n${jsonText(fold)}`).join(",")}],\n`;
	yield `"totals":${jsonText(profile.totals)},\n"spend":${jsonText(profile.spend)}}\n`;
}
