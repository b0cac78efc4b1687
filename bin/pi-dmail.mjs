#!/usr/bin/env node
// Starts the profiler from an installed copy: Node strips no types under node_modules, so pi's own loader
// does it.

import { createJiti } from "jiti";

await createJiti(import.meta.url).import("../profile.ts");
