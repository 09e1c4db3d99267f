import { printJson } from "../tools/print-json.ts"
import type { ToolContext } from "../tools/tool.ts"
import { callFault } from "./call-fault.ts"
import { readContent } from "./call-result.ts"
import { checkOutput } from "./check-output.ts"
import type { Link, RawProgress, RawResult } from "./link.ts"
import type { RemoteTool } from "./remote-tool.ts"
import type { McpServer } from "./server.ts"
import { shown } from "./shown.ts"
import type { McpWords } from "./words.ts"

/** What of a turn a call takes part in. */
export type CallContext = Pick<ToolContext, "signal" | "record" | "progress">

/** One request to a server, made again where the server had only forgotten the session. Throws the words for a model. */
export async function requestFrom(
  server: McpServer,
  words: McpWords,
  request: (link: Link) => Promise<RawResult>,
  signal: AbortSignal,
): Promise<RawResult> {
  for (let hasRetried = false; ; hasRetried = true) {
    const link = await server.link.get(signal)
    if (link === undefined) throw words.problem("unavailable")
    try {
      const result = await request(link)
      server.link.isWell()
      return result
    } catch (error) {
      if (signal.aborted) throw error
      const fault = callFault(error)
      if (fault.kind === "stopped") throw words.problem("stopped")
      if (fault.kind === "unreachable") throw words.unreachable(fault.reason)
      if (fault.kind === "session") {
        if (hasRetried || link.kind !== "http") throw words.unreachable(shown(String(error)))
        server.link.drop(link, "it no longer knows the session")
        continue
      }
      server.link.isWell()
      throw new Error(fault.message)
    }
  }
}

/** Calls a tool and yields its text; what is no text goes into the turn's records. Throws where the call failed, whoever says so. */
export async function callTool(
  server: McpServer,
  { tool, args, words }: { readonly tool: RemoteTool; readonly args: unknown; readonly words: McpWords },
  context: CallContext,
): Promise<string> {
  const { signal } = context
  const onProgress = progressReader(context)
  const params = { name: tool.name, arguments: args }
  const result = await requestFrom(server, words, (link) => link.request("tools/call", params, { signal, onProgress }), signal)
  const { text, attachments } = readContent(Array.isArray(result.content) ? result.content : [], words)
  const name = `${server.name}.${tool.name}`
  for (const attachment of attachments) {
    const summary = `${attachment.mediaType}, ${attachment.bytes} bytes`
    context.record?.({ kind: "attachment", tool: name, summary, attachment })
  }
  const { structuredContent } = result
  const whole = text === "" && structuredContent !== undefined ? printJson(structuredContent) : text
  if (result.isError === true) throw new Error(whole)
  tellOfMiss(server, { tool, structuredContent, context })
  return whole
}

/** What misses its schema is better than nothing: it is kept, and told of. */
function tellOfMiss(
  server: McpServer,
  {
    tool,
    structuredContent,
    context,
  }: { readonly tool: RemoteTool; readonly structuredContent: unknown; readonly context: CallContext },
): void {
  if (tool.outputSchema === undefined) return
  const miss =
    structuredContent === undefined ? "it holds no structured content" : checkOutput(tool.outputSchema, structuredContent)
  if (miss === undefined) return
  const message = `The result of ${tool.name} misses its output schema: ${shown(miss)}.`
  server.warn("result", message)
  context.record?.({ kind: "warning", tool: `${server.name}.${tool.name}`, summary: message })
}

/** More would only fill the turn's events. */
const maxProgress = 1_000

function progressReader({ progress }: CallContext): (update: RawProgress) => void {
  let told = 0
  return ({ progress: value, total, message }) => {
    if (progress === undefined || !Number.isFinite(value) || ++told > maxProgress) return
    progress({
      progress: value,
      ...(typeof total === "number" && Number.isFinite(total) ? { total } : {}),
      ...(typeof message === "string" ? { message: shown(message) } : {}),
    })
  }
}
