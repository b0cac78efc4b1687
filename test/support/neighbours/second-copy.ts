// A second copy of ours, as a clone beside an installed one is.

export { default } from "../../../index.ts";
