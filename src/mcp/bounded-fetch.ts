/** As much of `fetch` as a transport needs. */
type Fetch = (url: string | URL, init?: RequestInit) => Promise<Response>

const lineFeed = 10

/** `fetch` whose answers break off at a message beyond the limit: a whole body, or what stands between blank lines of an event stream. */
export function boundedFetch(maxBytes: number, fetchIt: Fetch = fetch): Fetch {
  return async (url, init) => {
    const response = await fetchIt(url, init)
    if (response.body === null) return response
    const isStream = response.headers.get("content-type")?.startsWith("text/event-stream") === true
    const body = response.body.pipeThrough(limit(maxBytes, isStream))
    const { status, statusText, headers } = response
    return new Response(body, { status, statusText, headers })
  }
}

function limit(maxBytes: number, isStream: boolean): TransformStream<Uint8Array, Uint8Array> {
  let bytes = 0
  return new TransformStream({
    transform(chunk, controller) {
      const lastBlank = isStream ? lastBlankLine(chunk) : -1
      bytes = lastBlank < 0 ? bytes + chunk.length : chunk.length - lastBlank
      if (bytes > maxBytes) controller.error(new Error(`a message of more than ${maxBytes} bytes`))
      else controller.enqueue(chunk)
    },
  })
}

/** Where the last blank line within a chunk stands; one that two chunks share is not seen, which only makes the limit stricter. */
function lastBlankLine(chunk: Uint8Array): number {
  for (let at = chunk.length - 1; at > 0; at--) {
    if (chunk[at] === lineFeed && (chunk[at - 1] === lineFeed || (chunk[at - 1] === 13 && chunk[at - 2] === lineFeed))) return at
  }
  return -1
}
