// A pseudo-terminal of a given size with a screen that can be read as text: what a person would see.

import pty from "@lydell/node-pty";
import xterm from "@xterm/headless";
import { commandOf, environmentOf, type Home, type Launch } from "./real-pi.ts";

/** The size of a terminal, in character cells. */
export interface Size {
	readonly columns: number;
	readonly rows: number;
}

/** Keys by name, as a terminal sends them. */
export const KEYS = {
	enter: "\r",
	escape: "\u001b",
	tab: "\t",
	up: "\u001b[A",
	down: "\u001b[B",
	right: "\u001b[C",
	left: "\u001b[D",
	end: "\u001b[F",
	space: " ",
	control: (letter: string) => String.fromCharCode(letter.toUpperCase().charCodeAt(0) - 64),
} as const;

/** A program in a terminal. End it with `close`. */
export class Terminal {
	private readonly process: pty.IPty;
	private readonly screenBuffer: xterm.Terminal;
	private readonly exited: Promise<number>;
	private size: Size;

	constructor(command: { file: string; args: string[] }, size: Size, options: pty.IPtyForkOptions) {
		this.size = size;
		const { columns: cols, rows } = size;
		this.screenBuffer = new xterm.Terminal({ cols, rows, allowProposedApi: true });
		const { file, args } = command;
		this.process = pty.spawn(file, args, { ...options, name: "xterm-256color", cols, rows });
		this.process.onData((data) => this.screenBuffer.write(data));
		// a program may ask the terminal what it can do and wait for the answer
		this.screenBuffer.onData((reply) => this.process.write(reply));
		this.exited = new Promise((resolve) =>
			this.process.onExit(({ exitCode }) => resolve(exitCode)),
		);
	}

	/** Sends keys or text as they are. */
	press(...keys: readonly string[]): void {
		for (const key of keys) this.process.write(key);
	}

	/** Types a line and ends it with Enter, once the program has shown it. */
	async type(line: string): Promise<void> {
		this.process.write(line);
		await this.waitFor(line.slice(0, 10).trimEnd());
		this.process.write(KEYS.enter);
	}

	/** The lines of the screen, without trailing blanks. */
	lines(): string[] {
		const buffer = this.screenBuffer.buffer.active;
		return Array.from({ length: this.size.rows }, (_, row) => {
			const line = buffer.getLine(buffer.viewportY + row)?.translateToString(true) ?? "";
			return line.trimEnd();
		});
	}

	/** The screen as one text. */
	screen(): string {
		return this.lines().join("\n").trimEnd();
	}

	/** Waits until the screen has a text; throws with the screen after the limit, in ms. */
	waitFor(text: string | RegExp, limitMs = 30_000): Promise<string> {
		const isThere = (screen: string) =>
			typeof text === "string" ? screen.includes(text) : text.test(screen);
		return this.waitUntil(isThere, `${text}`, limitMs);
	}

	/** Waits until a text is gone from the screen. */
	waitWithout(text: string, limitMs = 30_000): Promise<string> {
		return this.waitUntil((screen) => !screen.includes(text), `the end of ${text}`, limitMs);
	}

	private async waitUntil(
		holds: (screen: string) => boolean,
		what: string,
		limitMs: number,
	): Promise<string> {
		for (const end = Date.now() + limitMs; ; ) {
			const screen = this.screen();
			if (holds(screen)) return screen;
			if (Date.now() > end) throw new Error(`waited for ${what}; the screen is\n${screen}`);
			await new Promise((resolve) => setTimeout(resolve, 15));
		}
	}

	/** Makes the terminal another size, as a person drags a window. */
	resize(size: Size): void {
		this.size = size;
		this.process.resize(size.columns, size.rows);
		this.screenBuffer.resize(size.columns, size.rows);
	}

	/** The exit code, once the program has ended. */
	exit(): Promise<number> {
		return this.exited;
	}

	/** Ends the program, whatever it is doing. */
	async close(): Promise<void> {
		this.process.kill("SIGKILL");
		await this.exited;
		this.screenBuffer.dispose();
	}
}

/** Opens a real pi in a terminal. */
export function openPi(home: Home, launch: Launch, size: Size): Terminal {
	const env = { ...environmentOf(home, launch), TERM: "xterm-256color" };
	return new Terminal(commandOf(home, launch), size, { cwd: home.cwd, env });
}
