// Kills the host, as a crash does, when the tool named by KILL_AT_RESULT has run and its result is not
// stored yet.

import type { ExtensionAPI } from "@mariozechner/pi-coding-agent";

export default function register(pi: ExtensionAPI): void {
	pi.on("tool_result", (event) => {
		if (event.toolName === process.env["KILL_AT_RESULT"]) process.kill(process.pid, "SIGKILL");
	});
}
