/** A request that is refused, as an HTTP status and a sentence for whoever sent it. */
export class HttpProblem extends Error {
  readonly status: number
  /** The field of the request that is at fault. */
  readonly param: string | null
  /** A code of the OpenAI API, such as `model_not_found`. */
  readonly code: string | null
  /** The time after which the request may be sent again. */
  readonly retryAfterMs: number | undefined

  constructor(status: number, message: string, { param, code, retryAfterMs }: ProblemDetails = {}) {
    super(message)
    this.status = status
    this.param = param ?? null
    this.code = code ?? null
    this.retryAfterMs = retryAfterMs
  }
}

interface ProblemDetails {
  readonly param?: string
  readonly code?: string
  readonly retryAfterMs?: number
}

/** The type of an error in the OpenAI API, by its status. */
const types: Readonly<Record<number, string>> = { 401: "authentication_error", 429: "rate_limit_error", 503: "server_error" }

/** A refusal of a request with a field that is at fault. */
export function badRequest(message: string, param: string): HttpProblem {
  return new HttpProblem(400, message, { param })
}

/** A part of a URL's path, decoded. */
export function decoded(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    throw new HttpProblem(404, "The last part of the URL is not encoded as one.")
  }
}

/** The body of a refusal, in the form of the OpenAI API. */
export function errorBody(
  message: string,
  { type, param = null, code = null }: { type: string; param?: string | null; code?: string | null },
) {
  return { error: { message, type, param, code } }
}

/** The response to a refused request. */
export function problemResponse({ status, message, param, code, retryAfterMs }: HttpProblem): Response {
  const headers = new Headers(status === 401 ? { "www-authenticate": "Bearer" } : {})
  if (retryAfterMs !== undefined) headers.set("retry-after", String(Math.max(1, Math.ceil(retryAfterMs / 1000))))
  const type = types[status] ?? "invalid_request_error"
  return Response.json(errorBody(message, { type, param, code }), { status, headers })
}

/** Clients refuse answers with longer headers than some 16,000 characters. */
const maxHeaderLength = 4_000

/** The header that names the fields of a request that were ignored, if any were. */
export function ignoredHeader(ignored: readonly string[]): Readonly<Record<string, string>> {
  const names = ignored.map((name) => encodeURIComponent(name.toWellFormed())).join(", ")
  const shown = names.length > maxHeaderLength ? `${names.slice(0, maxHeaderLength)}...` : names
  return ignored.length > 0 ? { "x-promptstrata-ignored": shown } : {}
}
