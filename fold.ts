// The algebra's door: a branch and its fold records in, what is sent out. Pure; imports nothing outside
// src/fold, and everyone who folds comes through here.

export { chipText, isPointer, pointToChip, quote } from "./src/fold/chip.ts";
export type { Call, Entry, FoldName, Host, Kind } from "./src/fold/entry.ts";
export { isCarrier, isMessage, isReply } from "./src/fold/entry.ts";
export type { Fold, FoldState, Unreadable } from "./src/fold/folds.ts";
export { BEFORE_ERA } from "./src/fold/folds.ts";
export type { Range } from "./src/fold/forest.ts";
export { breakMarkers, formatStep, parseStep } from "./src/fold/marker.ts";
export { firstNudgeAt } from "./src/fold/nudge.ts";
export type { PinProposal, PinRefusal } from "./src/fold/pin.ts";
export { proposePin, proposeUnpin } from "./src/fold/pin.ts";
export type { Proposal, Wish } from "./src/fold/propose.ts";
export { lastCompleted, propose, requestIn } from "./src/fold/propose.ts";
export type {
	AnyRecord,
	BrokenRecord,
	DmailRecord,
	Effect,
	FoldRecord,
	LandRecord,
	ModeRecord,
	PinRecord,
	StateRecord,
	Stored,
} from "./src/fold/record.ts";
export { decode, encode, SUMMARY_LIMIT } from "./src/fold/record.ts";
export type { Refusal } from "./src/fold/refusal.ts";
export type { Marks } from "./src/fold/render.ts";
export type { Asked, Hand, View } from "./src/fold/replay.ts";
export { ALL_MARKS, foldContext, Replayer } from "./src/fold/replay.ts";
export type { Source } from "./src/fold/sheet.ts";
export type { Draft, Weight } from "./src/fold/weigh.ts";
export { weigh, weighChip } from "./src/fold/weigh.ts";
export type { CallShift } from "./src/fold/weigh-calls.ts";
export { weighCalls } from "./src/fold/weigh-calls.ts";
