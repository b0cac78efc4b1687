// `--view`: the profile to walk through in a terminal. The only file that ink and react are loaded for,
// and only when it is asked for. What is on the screen is drawn elsewhere; this shows it and hears keys.

import process from "node:process";
import { Box, render, Text, useApp, useInput, useStdout } from "ink";
import { createElement, type ReactElement, useEffect, useReducer, useState } from "react";
import { movesOf } from "./view-keys.ts";
import { drawScreen, settle } from "./view-screen.ts";
import {
	follow,
	type Move,
	type Subject,
	showNewest,
	startState,
	type ViewState,
} from "./view-state.ts";

/**
 * Shows the view until it is left. Needs a terminal on both ends.
 *
 * @param last how many requests to walk along, the newest ones; absent: all
 */
export async function openView(measured: Subject, colour: boolean, last?: number): Promise<void> {
	const subject = showNewest(measured, last);
	const { stdout } = process;
	// a screen of its own: what was there before comes back
	stdout.write("\u001b[?1049h\u001b[H");
	try {
		await render(createElement(View, { subject, colour })).waitUntilExit();
	} finally {
		stdout.write("\u001b[?1049l");
	}
}

interface ViewProps {
	readonly subject: Subject;
	readonly colour: boolean;
}

function View({ subject, colour }: ViewProps): ReactElement {
	const { exit } = useApp();
	const terminal = useSize();
	// one row less than there is: a full screen would scroll
	const size = { ...terminal, rows: terminal.rows - 1, colour };
	// a reducer, since keys may come faster than the screen follows
	const [state, go] = useReducer(
		(from: ViewState | undefined, move: Move) =>
			from && follow(settle(subject, from, size), move, subject),
		subject,
		startState,
	);
	useInput((input, key) => {
		for (const move of movesOf(input, key)) go(move);
	});
	useEffect(() => {
		if (!state) exit();
	}, [state, exit]);
	if (!state) return createElement(Box);
	const lines = drawScreen(subject, state, size);
	return createElement(
		Box,
		{ flexDirection: "column" },
		lines.map((line, row) =>
			createElement(Text, { key: row, wrap: "truncate" }, line === "" ? " " : line),
		),
	);
}

/** The size of the terminal, as it is now. */
function useSize(): { columns: number; rows: number } {
	const { stdout } = useStdout();
	const [size, setSize] = useState({ columns: stdout.columns || 80, rows: stdout.rows || 24 });
	useEffect(() => {
		const measure = () => setSize({ columns: stdout.columns || 80, rows: stdout.rows || 24 });
		stdout.on("resize", measure);
		return () => {
			stdout.off("resize", measure);
		};
	}, [stdout]);
	return size;
}
