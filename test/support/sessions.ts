// Where the recorded sessions lie that some tests try things on. They are no part of the repository.

import { existsSync } from "node:fs";
import { join, resolve } from "node:path";

/** Their directory, or undefined where there is none: `DMAIL_SESSIONS`, else beside the repository. */
export function recordedSessions(): string | undefined {
	const directory =
		process.env["DMAIL_SESSIONS"] ?? resolve(import.meta.dirname, "../../../shared/sessions");
	return existsSync(join(directory, "expected.json")) ? directory : undefined;
}

/** Why a test is skipped without them. */
export const NO_SESSIONS = "no recorded sessions: set DMAIL_SESSIONS to their directory";
