// What is printed of three small sessions, in every form, to the byte.

import { join } from "node:path";
import { test } from "node:test";
import { measure } from "../../src/profile/measure.ts";
import type { Profile } from "../../src/profile/profile.ts";
import { writeJson } from "../../src/report/json.ts";
import { drawSession } from "../../src/report/session.ts";
import { writeCsv } from "../../src/report/session-csv.ts";

const ROOT = join(import.meta.dirname, "..");

/** A profile that does not say where on this machine the file lies. */
function profileOf(name: string): Profile {
	const { profile, refusal } = measure(join(ROOT, "fixtures/profile", `${name}.jsonl`));
	if (!profile) throw new Error(refusal);
	return { ...profile, session: { ...profile.session, file: `${name}.jsonl` } };
}

const FORMS: Readonly<Record<string, (profile: Profile) => string>> = {
	"60.txt": (profile) => drawSession(profile, { kind: "terminal", columns: 60, colour: false }),
	"120.txt": (profile) => drawSession(profile, { kind: "terminal", columns: 120, colour: false }),
	"colour.txt": (profile) =>
		drawSession(profile, { kind: "terminal", columns: 200, colour: true }, 5),
	"pipe.txt": (profile) => drawSession(profile, { kind: "pipe", columns: 80, colour: false }),
	csv: (profile) => [...writeCsv(profile)].join(""),
	json: (profile) => [...writeJson(profile)].join(""),
};

for (const name of ["folds", "branches", "odd"])
	for (const [form, draw] of Object.entries(FORMS))
		test(`${name}.jsonl as ${form} is as it was`, (t) => {
			t.assert.fileSnapshot(draw(profileOf(name)), join(ROOT, "golden", `${name}.${form}`), {
				serializers: [(text: string) => text],
			});
		});
