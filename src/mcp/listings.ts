import type { ToolAttachment } from "../tools/tool.ts"
import { isRecord, stringOf } from "./any-result.ts"
import { readContent } from "./call-result.ts"
import { requestFrom } from "./call-tool.ts"
import type { RawResult } from "./link.ts"
import type { McpServer } from "./server.ts"
import type { McpWords } from "./words.ts"

/** A resource that a server offers. Its texts are the server's. */
export interface McpListing {
  readonly server: string
  readonly uri: string
  readonly name: string
  readonly description: string
  readonly mediaType?: string
}

/** A prompt that a server offers. */
export interface McpPrompt {
  readonly server: string
  readonly name: string
  readonly description: string
  readonly arguments: readonly { readonly name: string; readonly required: boolean }[]
}

/** A resource or a prompt that was read. `text` is the server's: put it into prompts with trust `tool`, as {@link skillFrom} does. */
export interface McpText {
  readonly server: string
  /** The resource's URI or the prompt's name. */
  readonly name: string
  readonly description: string
  readonly text: string
  readonly attachments: readonly ToolAttachment[]
}

/** What a server offers of a kind; one without that capability offers nothing. */
export async function listOf(server: McpServer, kind: "resources" | "prompts", signal: AbortSignal): Promise<readonly unknown[]> {
  const link = server.link.current
  if (link === undefined || link.capabilities[kind] === undefined) return []
  const { items, problem } = await link.list(kind, signal)
  if (problem !== undefined) server.warn("skills", `Not all of its ${kind} could be read: ${problem}.`)
  return items
}

/** A resource of a server's list; nothing for one without a URI. */
export function readListing(server: string, raw: unknown): McpListing[] {
  if (!isRecord(raw) || typeof raw.uri !== "string") return []
  const { uri, name, description, mimeType } = raw
  return [
    {
      server,
      uri,
      name: stringOf(name) ?? uri,
      description: stringOf(description) ?? "",
      ...(typeof mimeType === "string" ? { mediaType: mimeType } : {}),
    },
  ]
}

/** A prompt of a server's list; nothing for one without a name. */
export function readPrompt(server: string, raw: unknown): McpPrompt[] {
  if (!isRecord(raw) || typeof raw.name !== "string") return []
  const args = Array.isArray(raw.arguments) ? raw.arguments.filter(isRecord) : []
  return [
    {
      server,
      name: raw.name,
      description: stringOf(raw.description) ?? "",
      arguments: args.flatMap(({ name, required }) => (typeof name === "string" ? [{ name, required: required === true }] : [])),
    },
  ]
}

/** What a reader takes from the connection. */
interface Reading {
  readonly words: McpWords
  readonly signal: AbortSignal
}

/** A resource's content: all its text parts. */
export async function readResource(server: McpServer, uri: string, { words, signal }: Reading): Promise<McpText> {
  const result = await ask(server, { method: "resources/read", params: { uri } }, { words, signal })
  const parts = Array.isArray(result.contents) ? result.contents : []
  return { server: server.name, name: uri, description: "", ...readContent(parts, words) }
}

/** A prompt's messages, joined. */
export async function getPrompt(
  server: McpServer,
  { name, args }: { readonly name: string; readonly args: Readonly<Record<string, string>> },
  { words, signal }: Reading,
): Promise<McpText> {
  const result = await ask(server, { method: "prompts/get", params: { name, arguments: args } }, { words, signal })
  const messages = Array.isArray(result.messages) ? result.messages.filter(isRecord) : []
  const parts = messages.flatMap(({ content }) => (Array.isArray(content) ? content : [content]))
  return { server: server.name, name, description: stringOf(result.description) ?? "", ...readContent(parts, words) }
}

function ask(
  server: McpServer,
  { method, params }: { readonly method: string; readonly params: Readonly<Record<string, unknown>> },
  { words, signal }: Reading,
): Promise<RawResult> {
  return requestFrom(server, words, (link) => link.request(method, params, { signal }), signal)
}
