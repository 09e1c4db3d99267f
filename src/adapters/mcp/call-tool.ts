import { messageOf } from "../../core/errors.ts"
import { printJson } from "../../prompt/tools/print-json.ts"
import { schemaMismatch } from "../../prompt/tools/schema-mismatch.ts"
import type { ToolContext, ToolProgress } from "../../prompt/tools/tool.ts"
import { httpProblem } from "./http-problem.ts"
import type { Link, RawResult } from "./link.ts"
import type { RemoteTool } from "./remote-tools.ts"
import { readContent } from "./result-content.ts"
import type { McpServer } from "./server.ts"
import { safeLine } from "./warnings.ts"

/** The part of a turn that a call uses. */
type CallContext = Pick<ToolContext, "signal" | "record" | "progress" | "takes" | "key" | "confirm">

/**
 * Calls a tool and returns the text of its result. Attachments go into the turn's records. Throws when the call failed or when
 * the server reports an error.
 */
export async function callTool(
  server: McpServer,
  { tool, args }: { readonly tool: RemoteTool; readonly args: unknown },
  context: CallContext,
): Promise<string> {
  const { signal } = context
  const onProgress = progressReader(context)
  const params = { name: tool.name, arguments: args }
  const result = await requestFrom(
    server,
    (link) => link.request("tools/call", params, { signal, onProgress, turn: context }),
    signal,
  )
  const { text, attachments } = readContent(Array.isArray(result.content) ? result.content : [], server.words, context.takes)
  const name = `${server.name}.${tool.name}`
  for (const attachment of attachments) {
    const summary = `${attachment.mediaType}, ${attachment.bytes} bytes`
    context.record?.({ kind: "attachment", tool: name, summary, attachment })
  }
  const { structuredContent } = result
  const whole = text === "" && structuredContent !== undefined ? printJson(structuredContent) : text
  if (result.isError === true) throw new Error(whole)
  const mismatch = outputMismatch(tool, structuredContent)
  if (mismatch !== undefined) {
    // A result that does not fit its schema is better than none: it is used, with a warning.
    const message = `The result of ${tool.name} does not fit its output schema: ${safeLine(mismatch)}.`
    server.warn("result", message)
    context.record?.({ kind: "warning", tool: name, summary: message })
  }
  return whole
}

function outputMismatch({ outputSchema }: RemoteTool, structuredContent: unknown): string | undefined {
  if (outputSchema === undefined) return undefined
  return structuredContent === undefined ? "it holds no structured content" : schemaMismatch(outputSchema, structuredContent)
}

/** More would only fill the turn's events. */
const maxProgress = 1_000

function progressReader({ progress }: CallContext): (update: ToolProgress) => void {
  let reported = 0
  return ({ progress: value, total, message }) => {
    if (progress === undefined || !Number.isFinite(value) || ++reported > maxProgress) return
    progress({
      progress: value,
      total: typeof total === "number" && Number.isFinite(total) ? total : undefined,
      message: typeof message === "string" ? safeLine(message) : undefined,
    })
  }
}

/**
 * Makes one request, and makes it again on a new connection when an HTTP server no longer knows the session. Throws errors
 * whose message is for the model.
 */
export async function requestFrom(
  server: McpServer,
  request: (link: Link) => Promise<RawResult>,
  signal: AbortSignal,
): Promise<RawResult> {
  for (let hasRetried = false; ; hasRetried = true) {
    const link = await server.link.get(signal)
    if (link === undefined) throw server.words.problem("unavailable")
    try {
      const result = await request(link)
      server.link.resetFailures()
      return result
    } catch (error) {
      if (signal.aborted) throw error
      const { code } = error as ClientError
      // JSON-RPC errors have numbers: the server has answered.
      if (typeof code === "number") {
        server.link.resetFailures()
        throw new Error(messageOf(error))
      }
      const hasEnded = code === "CONNECTION_CLOSED" || code === "NOT_CONNECTED" || messageOf(error) === "Not connected"
      if (hasEnded) throw server.words.problem("stopped")
      const http = httpProblem(error)
      // The server no longer knows the session and did nothing.
      const hasNoSession = http?.status === 404 || http?.status === 400
      if (!hasNoSession || hasRetried || link.kind !== "http") throw unreachable(error, server)
      server.link.drop(link, "it no longer knows the session")
    }
  }
}

/** The model reads what happened. What to do about a status is for a person. */
function unreachable(error: unknown, server: McpServer): Error {
  const http = httpProblem(error)
  if (http !== undefined) {
    const found = safeLine(http.found + http.body)
    server.warn("request", `It answers a request with ${found}; ${http.advice}.`)
    return server.words.unreachable(found)
  }
  const { cause } = error as ClientError
  return server.words.unreachable(safeLine(messageOf(error) + (cause === undefined ? "" : ` (${messageOf(cause)})`)))
}

/** An error of the client library. The message of `fetch` says only that it failed; its cause says why. */
interface ClientError {
  readonly code?: unknown
  readonly cause?: unknown
}
