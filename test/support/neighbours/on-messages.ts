// The event on which neighbours change what is sent: `context`, or what NEIGHBOUR_EVENT names. 1.6 runs
// every `context` handler before the first of `context_with_system`, whatever was loaded first.

import type { ContextEvent, ExtensionAPI } from "@mariozechner/pi-coding-agent";

type Handler = (event: ContextEvent) => { messages: ContextEvent["messages"] } | undefined;

/** Registers a handler for the list of messages of each request. */
export function onMessages(pi: ExtensionAPI, handler: Handler): void {
	const on = pi.on as unknown as (event: string, handler: Handler) => void;
	on(process.env["NEIGHBOUR_EVENT"] ?? "context", handler);
}
