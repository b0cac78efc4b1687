// What is odd or large on a branch without being a fault of its file: replies that came to nothing, images.

import { isStep, messageOf } from "../session/branch.ts";
import { blocksOf, type SessionEntry } from "../session/entry.ts";
import { countImages } from "../session/size.ts";
import type { Asides } from "./profile.ts";

/** Some providers answer with a whole page: so much of it, in UTF-16 units, tells what went wrong. */
const MESSAGE = 200;

/** How many messages of failed replies are kept at least, the newest ones: a file may have any number. */
const KEPT = 4_096;

/** What there is of it in a file, by the position of the entry. Most entries have nothing to tell. */
export class Oddities {
	private readonly images = new Map<number, Asides["images"]>();
	private readonly emptyStops = new Set<number>();
	private failures = new Map<number, string>();

	/**
	 * Takes note of an entry.
	 *
	 * @param isMeasured whether its usage is known, if it is a reply
	 */
	look(entry: SessionEntry, at: number, isMeasured: boolean): void {
		const message = messageOf(entry, "1.6");
		if (!message || !("content" in message)) return;
		const images = countImages([message]);
		if (images.count > 0) this.images.set(at, images);
		if (message.role !== "assistant") return;
		if (!isStep(message.stopReason)) this.lookAtFailure(message.errorMessage, at);
		else if (isMeasured) return;
		else if (message.content === "" || blocksOf(message.content).length === 0)
			this.emptyStops.add(at);
	}

	private lookAtFailure(message: unknown, at: number): void {
		if (typeof message !== "string" || message.trim() === "") return;
		this.failures.set(at, beginningOf(message));
		if (this.failures.size < 2 * KEPT) return;
		this.failures = new Map([...this.failures].slice(-KEPT));
	}

	/**
	 * What of it is on a branch.
	 *
	 * @param path positions in the file, root first
	 * @param replyOf the number of the reply that an entry is; -1: it is none
	 */
	on(
		path: readonly number[],
		replyOf: (at: number) => number,
	): Pick<Asides, "emptyStops" | "failures" | "images"> {
		const emptyStops: number[] = [];
		const failures = new Map<number, string>();
		const images = { count: 0, bytes: 0 };
		let requests = 0;
		for (const at of path) {
			if (replyOf(at) >= 0) requests++;
			if (this.emptyStops.has(at)) emptyStops.push(requests);
			const failure = this.failures.get(at);
			if (failure !== undefined) failures.set(requests, failure);
			const found = this.images.get(at);
			images.count += found?.count ?? 0;
			images.bytes += found?.bytes ?? 0;
		}
		return { emptyStops, failures, images };
	}
}

/** As much of a message as is kept, on one line. */
function beginningOf(message: string): string {
	const line = message
		.slice(0, 8 * MESSAGE)
		.replace(/\s+/g, " ")
		.trim();
	const text = line.length > MESSAGE ? `${line.slice(0, MESSAGE - 1)}…` : line;
	// a copy: a part of a string keeps the whole of it in memory
	return JSON.parse(JSON.stringify(text));
}
