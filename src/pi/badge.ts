// The badge in pi's footer: whether folding is on, and what it saves now. Never over 20 columns, since
// pi puts the texts of all extensions on one line and dies of a line that is too long.

import type { ExtensionContext } from "@mariozechner/pi-coding-agent";

/** What the badge says. */
export interface Badge {
	readonly enabled: boolean;
	/** tokens that folding keeps out of the next request */
	readonly saved: number;
	/** something failed; the user was told */
	readonly failed: boolean;
}

/** The badge's text without colour. */
export function badgeText(badge: Badge): string {
	if (!badge.enabled) return "⚠ D-MAIL OFF";
	if (badge.failed) return "⚠ D-MAIL ERROR";
	return badge.saved > 0 ? `D-MAIL ON −${formatCount(badge.saved)}` : "D-MAIL ON";
}

/** `950`, `1.2k`, `62k`, `1.3M`. */
export function formatCount(count: number): string {
	if (count < 1_000) return `${Math.round(count)}`;
	const [value, unit] = count < 999_500 ? [count / 1_000, "k"] : [count / 1_000_000, "M"];
	return `${value < 9.95 ? value.toFixed(1) : Math.round(value)}${unit}`;
}

const BLUE = "\u001b[34m";
const RED = "\u001b[31m";
const PLAIN = "\u001b[39m";

/** Shows the badge. Colour only in a terminal that wants it: over RPC the text is data. */
export function showBadge(ctx: ExtensionContext, badge: Badge): void {
	if (!ctx.hasUI) return;
	const text = badgeText(badge);
	const colour = badge.enabled && !badge.failed ? BLUE : RED;
	ctx.ui.setStatus("dmail", hasColour() ? `${colour}${text}${PLAIN}` : text);
}

function hasColour(): boolean {
	return Boolean(process.stdout.isTTY) && !process.env["NO_COLOR"];
}
