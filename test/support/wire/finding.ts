// What a validator says of a payload, and which of it is news. The validators beside this file are plain
// functions: a payload as it goes on the wire in, findings out; they judge and mend nothing.

/** A rule of the provider's that a payload breaks. */
export interface Finding {
	/** the rule, in a few words; each stands in its validator with the document that it is from */
	readonly rule: string;
	/** what is at fault, told so that it reads the same wherever in a payload it stands */
	readonly of: string;
}

/** A payload or a part of one: JSON, known to no type. */
export type Json = Readonly<Record<string, unknown>>;

/** Findings that are not among the known ones, each as often as it is news. */
export function news(found: readonly Finding[], known: readonly Finding[]): Finding[] {
	const left = new Map<string, number>();
	for (const { rule, of } of known) left.set(`${rule} ${of}`, (left.get(`${rule} ${of}`) ?? 0) + 1);
	return found.filter(({ rule, of }) => {
		const count = left.get(`${rule} ${of}`) ?? 0;
		left.set(`${rule} ${of}`, count - 1);
		return count <= 0;
	});
}

const HALF = /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/;

/** Half of a surrogate pair anywhere in the strings of a payload: no provider takes it (RFC 8259, 8.2). */
export function loneSurrogates(value: unknown): Finding[] {
	if (typeof value === "string")
		return HALF.test(value) ? [{ rule: "lone surrogate", of: JSON.stringify(value) }] : [];
	if (typeof value !== "object" || value === null) return [];
	return Object.values(value).flatMap(loneSurrogates);
}

/** An array of a payload; nothing where there is none. */
export function listIn(value: unknown): readonly Json[] {
	return Array.isArray(value) ? (value as readonly Json[]) : [];
}

/** A text of a payload; empty where there is none. */
export function textIn(value: unknown): string {
	return typeof value === "string" ? value : "";
}

/**
 * A call's id as findings name it. pi rewrites the ids of other models, and of later results by what it
 * rewrote: what is left here is the same before and after. Of a pair of ids (`call_…|fc_…`) the first counts.
 */
export function nameOfId(id: string): string {
	return id
		.replace(/[^a-zA-Z0-9]/g, "")
		.replace(/fc.*$/, "")
		.slice(0, 20);
}

/** Which calls wait for their results, in one stretch of a conversation. */
export class OpenCalls {
	private readonly open: string[];

	constructor(ids: readonly string[] = []) {
		this.open = [...ids];
	}

	/** Takes one result in; a second one for a call answers nothing. */
	answer(id: string): Finding[] {
		const at = this.open.indexOf(id);
		if (at < 0) return [{ rule: "orphan result", of: nameOfId(id) }];
		this.open.splice(at, 1);
		return [];
	}

	/** The calls that nothing answered, at the end of the stretch. */
	close(): Finding[] {
		return this.open.map((id) => ({ rule: "unanswered call", of: nameOfId(id) }));
	}
}
