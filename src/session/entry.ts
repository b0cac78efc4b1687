// The shapes of pi's session file and of the messages that it shows, as far as we read them.
// Structural: values of pi's own types can be passed in as they are. Nothing here reads or checks.

/** The first record of a session file. */
export interface SessionHeader {
	readonly type: "session";
	/** 1 where absent */
	readonly version?: number | undefined;
	readonly id: string;
	/** ISO 8601 */
	readonly timestamp: string;
	readonly cwd: string;
	/** path of the file that this one was forked from */
	readonly parentSession?: string | undefined;
	/** the same in files of version 1 */
	readonly branchedFrom?: string | undefined;
}

interface Base {
	/** 8 hex digits as a rule; `v1-<line>` for entries of a file of version 1 */
	readonly id: string;
	/** `null` for a root */
	readonly parentId: string | null;
	/** ISO 8601, of the moment when it was stored */
	readonly timestamp: string;
}

/** A message of the conversation. */
export interface MessageEntry extends Base {
	readonly type: "message";
	readonly message: PiMessage;
}

/** State of an extension; never shown to the model. */
interface CustomEntry extends Base {
	readonly type: "custom";
	readonly customType: string;
	readonly data?: unknown;
}

/** A message of an extension; the model sees it. */
interface CustomMessageEntry extends Base {
	readonly type: "custom_message";
	readonly customType: string;
	readonly content: Content;
	readonly display: boolean;
	readonly details?: unknown;
}

/** From here on the model sees the summary and what came from `firstKeptEntryId` on. */
export interface CompactionEntry extends Base {
	readonly type: "compaction";
	readonly summary: string;
	readonly firstKeptEntryId?: string | null | undefined;
	readonly tokensBefore: number;
	readonly details?: unknown;
	readonly usage?: Usage | undefined;
	readonly fromHook?: boolean | undefined;
	/** 1.6: prompt and tools at this place */
	readonly systemMessage?: SystemMessage | undefined;
}

/** What a branch that was left had in it. */
interface BranchSummaryEntry extends Base {
	readonly type: "branch_summary";
	readonly fromId: string;
	readonly summary: string;
	readonly details?: unknown;
	readonly usage?: Usage | undefined;
	readonly fromHook?: boolean | undefined;
}

/** 1.6: replaces the content of an earlier entry's message, or omits it (`null`). The last one wins. */
export interface ContextEditEntry extends Base {
	readonly type: "context_edit";
	readonly targetId: string;
	readonly replacement: { readonly content: Content } | null;
}

/** 1.6: a request that left no message, such as the warming of a cache. */
interface UsageEntry extends Base {
	readonly type: "usage";
	readonly kind: string;
	readonly provider: string;
	readonly model: string;
	readonly usage: Usage;
	readonly note?: string | undefined;
}

/** From here on the model thinks at this level. */
interface ThinkingLevelEntry extends Base {
	readonly type: "thinking_level_change";
	readonly thinkingLevel: string;
}

/** From here on this model is asked. */
interface ModelChangeEntry extends Base {
	readonly type: "model_change";
	readonly provider: string;
	readonly modelId: string;
}

/** A bookmark on an entry; `undefined` takes it off. */
interface LabelEntry extends Base {
	readonly type: "label";
	readonly targetId: string;
	readonly label: string | undefined;
}

/** The session's name. */
interface SessionInfoEntry extends Base {
	readonly type: "session_info";
	readonly name?: string | undefined;
}

/** An entry that says nothing to us: a type of a later pi, or a line that could not be read. */
export interface UnknownEntry extends Base {
	readonly type: "unknown";
	/** the type as stored; absent where the line could not be read */
	readonly was?: string | undefined;
}

/** One entry of a session; together they are a tree by `parentId`. */
export type SessionEntry =
	| MessageEntry
	| CustomEntry
	| CustomMessageEntry
	| CompactionEntry
	| BranchSummaryEntry
	| ContextEditEntry
	| UsageEntry
	| ThinkingLevelEntry
	| ModelChangeEntry
	| LabelEntry
	| SessionInfoEntry
	| UnknownEntry;

/** Files are read without a schema: content may be missing or a plain string, whatever the role. */
export type Content = string | readonly Block[] | null | undefined;

export interface TextBlock {
	readonly type: "text";
	readonly text: string;
}

interface ThinkingBlock {
	readonly type: "thinking";
	readonly thinking: string;
	readonly thinkingSignature?: string | undefined;
}

export interface ImageBlock {
	readonly type: "image";
	/** base64 */
	readonly data: string;
	readonly mimeType: string;
}

export interface ToolCallBlock {
	readonly type: "toolCall";
	/** not unique with every model; may be empty */
	readonly id: string;
	readonly name: string;
	readonly arguments: Readonly<Record<string, unknown>>;
}

/** One block of a message's content. */
export type Block = TextBlock | ThinkingBlock | ImageBlock | ToolCallBlock;

/** Tokens of one request, and its price in US dollars. Other writers have other shapes. */
export interface Usage {
	/** tokens that were neither read from nor written to the cache */
	readonly input: number;
	readonly output: number;
	readonly cacheRead: number;
	readonly cacheWrite: number;
	/** the part of `cacheWrite` that lives for an hour */
	readonly cacheWrite1h?: number | undefined;
	/** the part of `output` that was thought */
	readonly reasoning?: number | undefined;
	readonly totalTokens?: number | undefined;
	readonly cost?: Cost | undefined;
}

/** US dollars. */
interface Cost {
	readonly input: number;
	readonly output: number;
	readonly cacheRead: number;
	readonly cacheWrite: number;
	readonly total: number;
}

interface Timed {
	/** milliseconds since 1970 */
	readonly timestamp: number;
}

interface UserMessage extends Timed {
	readonly role: "user";
	readonly content: Content;
}

export interface AssistantMessage extends Timed {
	readonly role: "assistant";
	readonly content: Content;
	readonly api?: string | undefined;
	readonly provider: string;
	readonly model: string;
	readonly responseId?: string | undefined;
	readonly thinkingLevel?: string | undefined;
	readonly usage?: Usage | undefined;
	/** `stop`, `length` and `toolUse` make it a step; everything else leaves it an attempt */
	readonly stopReason?: string | undefined;
	readonly errorMessage?: string | undefined;
	readonly durationMs?: number | undefined;
}

export interface ToolResultMessage extends Timed {
	readonly role: "toolResult";
	readonly toolCallId: string;
	readonly toolName: string;
	readonly content: Content;
	readonly details?: unknown;
	readonly isError: boolean;
	readonly usage?: Usage | undefined;
}

interface CustomMessage extends Timed {
	readonly role: "custom";
	readonly customType: string;
	readonly content: Content;
	readonly display: boolean;
	readonly details?: unknown;
}

/** A command that the user ran with `!`. */
export interface BashMessage extends Timed {
	readonly role: "bashExecution";
	readonly command: string;
	readonly output: string;
	readonly exitCode?: number | null | undefined;
	readonly cancelled: boolean;
	readonly truncated: boolean;
	readonly fullOutputPath?: string | undefined;
	/** run with `!!`: the model never sees it */
	readonly excludeFromContext?: boolean | undefined;
}

interface BranchSummaryMessage extends Timed {
	readonly role: "branchSummary";
	readonly summary: string;
	readonly fromId: string | null;
}

interface CompactionSummaryMessage extends Timed {
	readonly role: "compactionSummary";
	readonly summary: string;
	readonly tokensBefore: number;
}

/** 1.6: instructions and tools, from here on. */
export interface SystemMessage extends Timed {
	readonly role: "system";
	readonly content: Content;
	readonly sections?: Readonly<Record<string, string | null>> | undefined;
	readonly toolsAdded?: readonly unknown[] | undefined;
	readonly toolsRemoved?: readonly unknown[] | undefined;
}

/** A message as pi hands it to hooks. Ours go back to pi by one cast, at the edge. */
export type PiMessage =
	| UserMessage
	| AssistantMessage
	| ToolResultMessage
	| CustomMessage
	| BashMessage
	| BranchSummaryMessage
	| CompactionSummaryMessage
	| SystemMessage;

/** The blocks of a content, whatever form it has: a string is one text block, nothing is none. */
export function blocksOf(content: unknown): readonly Block[] {
	if (typeof content === "string") return [{ type: "text", text: content }];
	if (!Array.isArray(content)) return [];
	// most content is well-formed: copy only what is not
	return content.every(isBlock) ? content : content.filter(isBlock);
}

function isBlock(value: unknown): value is Block {
	return typeof value === "object" && value !== null;
}
