// The laws of the algebra, each tried by itself on random worlds.

import { test } from "node:test";
import fc from "fast-check";
import { cases } from "../support/cases.ts";
import { LAWS } from "./laws.ts";
import { anyWorld } from "./world.ts";

for (const { sentence, check } of LAWS)
	test(sentence, () => fc.assert(fc.property(anyWorld, check), cases()));
