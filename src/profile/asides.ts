// What is odd or large on a branch without being a fault of its file: replies that came to nothing, images.

import { isStep, messageOf } from "../session/branch.ts";
import { blocksOf, type SessionEntry } from "../session/entry.ts";
import { countImages } from "../session/size.ts";
import type { Asides } from "./profile.ts";

/** What there is of it in a file, by the position of the entry. Most entries have nothing to tell. */
export class Oddities {
	private readonly images = new Map<number, Asides["images"]>();
	private readonly emptyStops = new Set<number>();

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
		if (message.role !== "assistant" || isMeasured || !isStep(message.stopReason)) return;
		if (message.content === "" || blocksOf(message.content).length === 0) this.emptyStops.add(at);
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
	): Pick<Asides, "emptyStops" | "images"> {
		const emptyStops: number[] = [];
		const images = { count: 0, bytes: 0 };
		let requests = 0;
		for (const at of path) {
			if (replyOf(at) >= 0) requests++;
			if (this.emptyStops.has(at)) emptyStops.push(requests);
			const found = this.images.get(at);
			images.count += found?.count ?? 0;
			images.bytes += found?.bytes ?? 0;
		}
		return { emptyStops, images };
	}
}
