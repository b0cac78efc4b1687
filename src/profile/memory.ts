// Keeps a long session within its memory. Node lets garbage lie as long as its limits allow, and those are
// far beyond what the stages of a profile need one after the other.

import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

/** With fewer entries the garbage of a stage is not worth the time. */
const WORTH_IT = 50_000;

/** Gives back what a stage of work left behind, if so many entries leave much. */
export function sweep(entries: number): void {
	if (entries < WORTH_IT) return;
	setFlagsFromString("--expose-gc");
	runInNewContext("gc")();
}
