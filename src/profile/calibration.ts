// Brings estimates to the scale of the session's own usage: actual ≈ overhead + k · estimate.

import type { Calibration } from "./profile.ts";
import type { Requests } from "./requests.ts";

/** Slopes beyond these come from noise, not from a tokeniser. */
const LEAST_K = 0.25;
const MOST_K = 4;

/** A line goes through any two points: of fewer requests than this it cannot be said how well it fits. */
const TELLING = 3;

/** Without usage: the estimates as they are. */
const UNCALIBRATED: Calibration = { k: 1, overhead: 0, requests: 0, error: null };

/**
 * Fits the line through the measured requests, by the method of Theil and Sen (the median of slopes
 * between far points): a few requests with another model or an odd usage do not move it. Requests without
 * a fold in view are fitted alone where there are enough, since of the others it is not sure what was sent.
 */
export function calibrate(requests: Requests): Calibration {
	const plain = measuredOf(requests, (position) => requests.folds.at(position) === 0);
	const points = plain.length >= 4 ? plain : measuredOf(requests, () => true);
	if (points.length === 0) return UNCALIBRATED;
	points.sort((a, b) => a.estimate - b.estimate);
	const slope = slopeOf(points);
	const overheadAt = (k: number) =>
		median(points.map(({ actual, estimate }) => actual - k * estimate));
	const k = slope === undefined ? 1 : Math.min(MOST_K, Math.max(LEAST_K, slope));
	const overhead = Math.max(0, Math.round(overheadAt(k)));
	const errors = points.map(
		(point) => Math.abs(overhead + k * point.estimate - point.actual) / point.actual,
	);
	const error = points.length < TELLING ? null : median(errors);
	return { k, overhead, requests: points.length, error };
}

interface Point {
	readonly estimate: number;
	readonly actual: number;
}

function measuredOf(requests: Requests, wanted: (position: number) => boolean): Point[] {
	const points: Point[] = [];
	for (let i = 0; i < requests.length; i++) {
		const actual = requests.promptAt(i);
		if (actual > 0 && wanted(i)) points.push({ estimate: requests.folded.at(i), actual });
	}
	return points;
}

/** The median slope between each point and the one half the list further on; undefined if none differ. */
function slopeOf(sorted: readonly Point[]): number | undefined {
	const half = Math.ceil(sorted.length / 2);
	const slopes: number[] = [];
	for (const [i, low] of sorted.entries()) {
		const high = sorted[i + half];
		if (high && high.estimate > low.estimate)
			slopes.push((high.actual - low.actual) / (high.estimate - low.estimate));
	}
	return slopes.length === 0 ? undefined : median(slopes);
}

function median(values: number[]): number {
	values.sort((a, b) => a - b);
	const middle = values.length >> 1;
	const high = values[middle] ?? 0;
	return values.length % 2 === 1 ? high : ((values[middle - 1] ?? high) + high) / 2;
}
