/** A request that is refused, as an HTTP status and a sentence for whoever sent it. */
export class HttpProblem extends Error {
  readonly status: number
  /** The field of the request that is at fault. */
  readonly param: string | null
  /** A code of the OpenAI API, such as `model_not_found`. */
  readonly code: string | null

  constructor(status: number, message: string, { param, code }: { readonly param?: string; readonly code?: string } = {}) {
    super(message)
    this.status = status
    this.param = param ?? null
    this.code = code ?? null
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
export function problemResponse({ status, message, param, code }: HttpProblem): Response {
  const headers = status === 401 ? { "www-authenticate": "Bearer" } : {}
  const type = status === 401 ? "authentication_error" : "invalid_request_error"
  return Response.json(errorBody(message, { type, param, code }), { status, headers })
}
