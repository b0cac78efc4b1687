// How a path that a tool was given is told: relative to the working directory where it lies below it, so
// that one file is one path. Never touches a file system.

const DRIVE = /^[A-Za-z]:[\\/]/;

/** Finds the one name for each path. `cwd` is the session's working directory; without it paths stay. */
export function placeOf(path: string, cwd: string | undefined): string {
	const windows =
		DRIVE.test(path) || path.startsWith("\\\\") || (cwd !== undefined && DRIVE.test(cwd));
	const bare = path.startsWith("@") ? path.slice(1) : path;
	const plain = straighten(windows ? bare.replaceAll("\\", "/") : bare);
	const base = cwd === undefined ? "" : straighten(windows ? cwd.replaceAll("\\", "/") : cwd);
	if (base === "" || base === "/") return plain;
	const inside = windows
		? plain.toLowerCase().startsWith(`${base.toLowerCase()}/`)
		: plain.startsWith(`${base}/`);
	return inside ? plain.slice(base.length + 1) : plain;
}

/** A text on one line: what a list or a line of notes can hold. */
export function onOneLine(text: string): string {
	// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what must go
	return text.replace(/[\s\u0000-\u001f\u007f]+/g, " ").trim();
}

/** Drops `.` and empty segments, and resolves `..` where something stands before it. */
function straighten(path: string): string {
	const rooted = path.startsWith("/");
	const kept: string[] = [];
	for (const segment of path.split("/")) {
		if (segment === "" || segment === ".") continue;
		const last = kept.at(-1);
		if (segment === ".." && last !== undefined && last !== ".." && last !== "~") kept.pop();
		else if (segment !== ".." || !rooted || kept.length > 0) kept.push(segment);
	}
	return `${rooted ? "/" : ""}${kept.join("/")}` || ".";
}
