// The commands of the extension without a host: typed lines in, answers out.

import type { ExtensionCommandContext } from "@mariozechner/pi-coding-agent";
import type { Completion } from "../../src/pi/command.ts";
import type { CommandName } from "../../src/pi/command-names.ts";
import { makeCommands } from "../../src/pi/commands.ts";
import { Dmail } from "../../src/pi/dmail.ts";
import type { SessionEntry } from "../../src/session/entry.ts";
import { type FakeOptions, type FakePi, fakePi } from "./fake-pi.ts";

/** The commands over a session. */
export interface Commands {
	readonly fake: FakePi;
	readonly dmail: Dmail;
	/** runs a line and returns what was answered; a refusal begins with `refused: ` */
	run(line: string): Promise<string>;
	/** what pi is told when it asks how to go on */
	complete(name: CommandName, prefix: string): Completion[] | null;
}

/** Makes them over a branch. */
export function typeCommands(branch: readonly SessionEntry[], options: FakeOptions = {}): Commands {
	const fake = fakePi(branch, options);
	const dmail = new Dmail(fake.pi);
	dmail.start(fake.ctx);
	const typed = makeCommands(fake.pi, dmail);
	return {
		fake,
		dmail,
		async run(line) {
			const from = fake.notices.length;
			const [, name = "", argument = ""] = /^\/(\S+)\s*(.*)$/.exec(line) ?? [];
			await typed[name as CommandName]?.run(argument, fake.ctx as ExtensionCommandContext);
			const said = fake.notices.slice(from);
			return said
				.map(({ text, level }) => (level === "error" ? `refused: ${text}` : text))
				.join("\n");
		},
		complete(name, prefix) {
			return typed[name].complete(prefix);
		},
	};
}
