// Keeps a long session within its memory. Node lets garbage lie as long as its limits allow, and those are
// far beyond what the stages of a profile need one after the other.

/** With fewer entries the garbage of a stage is not worth the time. */
const WORTH_IT = 50_000;

/** Gives back what a stage of work left behind, if so many entries leave much. */
export function sweep(entries: number): void {
	if (entries < WORTH_IT) return;
	// loaded where they are needed: most sessions are shorter, and these two take time to load
	process.getBuiltinModule("node:v8").setFlagsFromString("--expose-gc");
	process.getBuiltinModule("node:vm").runInNewContext("gc")();
}
