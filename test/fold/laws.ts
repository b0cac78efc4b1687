// All laws of the algebra that a random world can be tried on.

import { CHIP_LAWS } from "./chip-laws.ts";
import { PROPOSE_LAWS } from "./propose-laws.ts";
import { QUICK_REPLAY_LAWS, REPLAY_LAWS } from "./replay-laws.ts";
import { STRUCTURE_LAWS } from "./structure-laws.ts";
import { VIEW_LAWS } from "./view-laws.ts";
import type { Law } from "./world.ts";

const BUT_REPLAY = [...VIEW_LAWS, ...STRUCTURE_LAWS, ...CHIP_LAWS, ...PROPOSE_LAWS];

/** The laws, each with its sentence. */
export const LAWS: readonly Law[] = [...BUT_REPLAY, ...REPLAY_LAWS];

/** The same, for a very long search. */
export const QUICK_LAWS: readonly Law[] = [...BUT_REPLAY, ...QUICK_REPLAY_LAWS];
