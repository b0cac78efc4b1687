// Whether folding is on, and why: one pure decision over the session's records, the flag and settings.

import type { TimedMode } from "./log.ts";

export interface Mode {
	readonly enabled: boolean;
	/** what decided, in words for the user */
	readonly why: string;
}

export interface ModeInputs {
	/** every switch record of the session, oldest first */
	readonly records: readonly TimedMode[];
	/** when this process started, in ms: a record since then was made in it, whatever was reloaded */
	readonly processStart: number;
	/** whether `--dmail-disabled` was given */
	readonly disabled: boolean;
	/** `dmail.enabled` */
	readonly setting: boolean;
}

/**
 * The user's newest command of this process decides, then the flag, then the user's newest older
 * command in this session, then the settings.
 */
export function decideMode(inputs: ModeInputs): Mode {
	const { records, processStart, disabled, setting } = inputs;
	const newest = records.findLast(({ record }) => record.by === "user");
	const command = newest && { enabled: newest.record.enabled, why: "set by /dmail" };
	if (command && newest.time >= processStart) return command;
	if (disabled) return { enabled: false, why: "--dmail-disabled" };
	if (command) return { ...command, why: "set by /dmail earlier in this session" };
	return { enabled: setting, why: setting ? "the default" : "dmail.enabled is false in settings" };
}
