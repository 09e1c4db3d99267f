import { checkType } from "../../core/check-options.ts"
import { messageOf } from "../../core/errors.ts"
import { isRecord, stringOf } from "../../core/json-access.ts"
import { priority } from "../../core/value.ts"
import type { Skill } from "../../prompt/layers/skills.ts"
import type { InjectionInput } from "../../prompt/stack/injection.ts"
import { capResult } from "../../prompt/tools/execute-tool.ts"
import type { ToolAttachment } from "../../prompt/tools/tool.ts"
import { requestFrom } from "./call-tool.ts"
import type { ResolvedOptions } from "./options.ts"
import { withDeadline } from "./reconnecting-link.ts"
import { readContent } from "./result-content.ts"
import type { McpServer } from "./server.ts"
import { safeLine } from "./warnings.ts"

// Resources and prompts of servers: listed, read, and used as skills or injections.

/** A resource that a server offers. Its texts are the server's and untrusted. */
export interface McpResource {
  readonly server: string
  readonly uri: string
  readonly name: string
  readonly description: string
  readonly mediaType?: string
}

/** A prompt that a server offers. Its texts are the server's and untrusted. */
export interface McpPrompt {
  readonly server: string
  readonly name: string
  readonly description: string
  readonly arguments: readonly { readonly name: string; readonly required: boolean }[]
}

/** The content of a resource or prompt. `text` is untrusted: use it with trust `tool`, as {@link skillFrom} does. */
export interface McpContent {
  readonly server: string
  /** The resource's URI or the prompt's name. */
  readonly name: string
  readonly description: string
  readonly text: string
  readonly attachments: readonly ToolAttachment[]
}

/** Lists the resources of all servers. A server whose list cannot be read is a warning. */
export function listResources(servers: readonly McpServer[], signal: AbortSignal): Promise<readonly McpResource[]> {
  return listAll(servers, "resources", signal, (server, { uri, name, description, mimeType }) => {
    if (typeof uri !== "string") return []
    const mediaType = typeof mimeType === "string" ? { mediaType: mimeType } : {}
    return [{ server, uri, name: typeof name === "string" ? name : uri, description: stringOf(description), ...mediaType }]
  })
}

/** Lists the prompts of all servers. A server whose list cannot be read is a warning. */
export function listPrompts(servers: readonly McpServer[], signal: AbortSignal): Promise<readonly McpPrompt[]> {
  return listAll(servers, "prompts", signal, (server, raw) => {
    if (typeof raw.name !== "string") return []
    const args = (Array.isArray(raw.arguments) ? raw.arguments.filter(isRecord) : []).flatMap(({ name, required }) =>
      typeof name === "string" ? [{ name, required: required === true }] : [],
    )
    return [{ server, name: raw.name, description: stringOf(raw.description), arguments: args }]
  })
}

async function listAll<T>(
  servers: readonly McpServer[],
  kind: "resources" | "prompts",
  signal: AbortSignal,
  read: (server: string, raw: Readonly<Record<string, unknown>>) => T[],
): Promise<readonly T[]> {
  const lists = servers.map(async (server) => {
    try {
      return (await listOf(server, kind, signal)).filter(isRecord).flatMap((raw) => read(server.name, raw))
    } catch (error) {
      server.warn("skills", `Its ${kind} could not be read: ${safeLine(messageOf(error))}.`)
      return []
    }
  })
  return (await Promise.all(lists)).flat()
}

/** A server without the capability offers nothing. */
async function listOf(server: McpServer, kind: "resources" | "prompts", signal: AbortSignal): Promise<readonly unknown[]> {
  const link = server.link.current
  if (link === undefined || link.capabilities[kind] === undefined) return []
  const { items, problem } = await link.list(kind, signal)
  if (problem !== undefined) server.warn("skills", `Not all of its ${kind} could be read: ${problem}.`)
  return items
}

/** Reads all parts of a resource. */
export async function readResource(server: McpServer, uri: string, signal: AbortSignal): Promise<McpContent> {
  const result = await requestFrom(server, (link) => link.request("resources/read", { uri }, { signal }), signal)
  const parts = Array.isArray(result.contents) ? result.contents : []
  return { server: server.name, name: uri, description: "", ...readContent(parts, server.words) }
}

/** Reads the messages of a prompt, joined to one text. */
export async function getPrompt(
  server: McpServer,
  { name, args }: { readonly name: string; readonly args: Readonly<Record<string, string>> },
  signal: AbortSignal,
): Promise<McpContent> {
  const params = { name, arguments: args }
  const result = await requestFrom(server, (link) => link.request("prompts/get", params, { signal }), signal)
  const messages = Array.isArray(result.messages) ? result.messages.filter(isRecord) : []
  const parts = messages.flatMap(({ content }) => (Array.isArray(content) ? content : [content]))
  return { server: server.name, name, description: stringOf(result.description), ...readContent(parts, server.words) }
}

/** Reads the resources and prompts that the servers' settings name as skills. One that cannot be read is a warning. */
export async function serverSkills(servers: readonly McpServer[], options: ResolvedOptions): Promise<readonly Skill[]> {
  const reads = servers.flatMap((server) =>
    (server.settings.skills ?? []).map(async (name): Promise<McpContent[]> => {
      if (server.link.current === undefined) return []
      try {
        const read = await withReadTimeout(options, (signal) =>
          /^[a-z][a-z0-9+.-]*:/i.test(name) ? readResource(server, name, signal) : getPrompt(server, { name, args: {} }, signal),
        )
        return [read]
      } catch (error) {
        server.warn("skills", `${safeLine(name)} could not be read: ${safeLine(messageOf(error))}.`)
        return []
      }
    }),
  )
  return (await Promise.all(reads)).flat().map(skillFrom)
}

/** The time limit for reading resources, prompts or lists of them. */
const readTimeoutMs = 30_000

/** Settles as `read` does. Its signal aborts when the time limit is over. */
export function withReadTimeout<T>({ ports }: ResolvedOptions, read: (signal: AbortSignal) => Promise<T>): Promise<T> {
  return withDeadline({ ms: readTimeoutMs, what: "no answer came", timers: ports.timers }, read)
}

/** Returns a resource or prompt as a skill whose whole text is in the prompt, with trust `tool`. Long texts lose their middle. */
export function skillFrom(read: McpContent): Skill {
  checkRead("skillFrom", read)
  return {
    name: keyOf(read),
    description: read.description,
    mode: "inline",
    priority: priority.default,
    content: { text: capped(read.text), trust: "tool" },
    allowedTools: [],
    resources: [],
    scripts: [],
    metadata: {},
    source: { file: keyOf(read), line: 1 },
  }
}

/** Returns a resource or prompt as an injection for a hook or `createAgent`, with trust `tool`. Long texts lose their middle. */
export function injectionFrom(read: McpContent, options: Omit<InjectionInput, "key" | "content" | "trust"> = {}): InjectionInput {
  checkRead("injectionFrom", read)
  return { scope: "session", ...options, key: keyOf(read), content: capped(read.text), trust: "tool" }
}

/** Throws `usage` for what is no resource or prompt that was read. */
function checkRead(of: string, read: McpContent): void {
  for (const part of ["server", "name", "text"] as const) checkType(`the ${part} of the read of ${of}`, read?.[part], "string")
}

/** A key must be one visible line. */
function keyOf({ server, name }: McpContent): string {
  return `${server}:${encodeURI(name.slice(0, 200).toWellFormed())}`
}

function capped(text: string): string {
  return capResult(text, 20_000, () => "\n…\n").text
}
