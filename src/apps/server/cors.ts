/** The origins of pages that may read answers: a list such as `["https://app.test"]`, or `*` for all. */
export type AllowedOrigins = readonly string[] | "*"

/** The answer to a browser that asks whether a page may ask; undefined for any other request, and for a page that may not. */
export function preflight(request: Request, allowed: AllowedOrigins): Response | undefined {
  if (request.method !== "OPTIONS" || !request.headers.has("access-control-request-method")) return undefined
  if (originOf(request, allowed) === undefined) return undefined
  const headers = {
    "access-control-allow-methods": "GET, POST, DELETE",
    "access-control-allow-headers": request.headers.get("access-control-request-headers") ?? "",
    "access-control-max-age": "600",
  }
  return readable(new Response(null, { status: 204, headers }), { request, allowed })
}

/** Lets the page that asked read an answer, if it may. */
export function readable(
  response: Response,
  { request, allowed }: { readonly request: Request; readonly allowed: AllowedOrigins },
): Response {
  // A cache must not give one page the answer of another.
  if (allowed.length > 0) response.headers.append("vary", "origin")
  const origin = originOf(request, allowed)
  if (origin === undefined) return response
  response.headers.set("access-control-allow-origin", origin)
  const exposed = "retry-after, x-should-retry, x-promptstrata-ignored, x-vercel-ai-ui-message-stream"
  response.headers.set("access-control-expose-headers", exposed)
  return response
}

function originOf({ headers }: Request, allowed: AllowedOrigins): string | undefined {
  const origin = headers.get("origin") ?? undefined
  return origin !== undefined && (allowed === "*" || allowed.includes(origin)) ? origin : undefined
}
