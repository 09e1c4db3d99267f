/** Headers of a stream of server-sent events. Proxies must not hold pieces back. */
export const eventStreamHeaders = {
  "content-type": "text/event-stream; charset=utf-8",
  "cache-control": "no-cache, no-transform",
  "x-accel-buffering": "no",
} as const

/** Server-sent events with JSON as data. They are made when the reader asks for more. `onCancel` is called if the reader leaves. */
export function eventStream(
  events: AsyncIterable<unknown>,
  { end, onCancel }: { readonly end?: string | undefined; readonly onCancel: () => void },
): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder()
  const iterator = events[Symbol.asyncIterator]()
  return new ReadableStream({
    async pull(controller) {
      const next = await iterator.next()
      if (next.done !== true) return controller.enqueue(encoder.encode(`data: ${JSON.stringify(next.value)}\n\n`))
      if (end !== undefined) controller.enqueue(encoder.encode(`data: ${end}\n\n`))
      controller.close()
    },
    cancel: () => onCancel(),
  })
}
