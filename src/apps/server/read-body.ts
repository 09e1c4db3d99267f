import { isRecord, parsedJson } from "../../core/json-access.ts"
import { HttpProblem } from "./http-problem.ts"
import type { Admission } from "./request-limits.ts"

/** Reads a request's body as a JSON object of at most `maxBytes`, which `admission` counts. Reads no further than that. Throws {@link HttpProblem}. */
export async function readJsonBody(
  request: Request,
  maxBytes: number,
  admission?: Admission,
): Promise<Readonly<Record<string, unknown>>> {
  const body = parsedJson(await readText(request, maxBytes, admission))
  if (isRecord(body)) return body
  throw new HttpProblem(400, body === undefined ? "The body is no JSON." : "The body is no JSON object.")
}

async function readText(request: Request, maxBytes: number, admission: Admission | undefined): Promise<string> {
  const decoder = new TextDecoder("utf-8", { fatal: true })
  let text = ""
  let bytes = 0
  try {
    for await (const chunk of request.body ?? []) {
      bytes += chunk.byteLength
      // Leaving the loop cancels the stream, so the rest is not read.
      if (bytes > maxBytes) throw new HttpProblem(413, `The body is larger than ${maxBytes} bytes.`)
      admission?.takes(chunk.byteLength)
      text += decoder.decode(chunk, { stream: true })
    }
    return text + decoder.decode()
  } catch (error) {
    if (error instanceof HttpProblem) throw error
    throw new HttpProblem(400, "The body could not be read: it ended too early, or is no UTF-8.")
  }
}
