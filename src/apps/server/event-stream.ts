import type { Timers } from "../../core/ports.ts"

/** Headers of a stream of server-sent events. Proxies must not hold pieces back. */
export const eventStreamHeaders = {
  "content-type": "text/event-stream; charset=utf-8",
  "cache-control": "no-cache, no-transform",
  "x-accel-buffering": "no",
} as const

/** Proxies cut a connection on which nothing came for a minute, some for half of one. */
const heartbeatMs = 15_000

/** How a stream is sent. */
export interface EventStreamOptions {
  /** Data that stands behind the last event. */
  readonly end?: string | undefined
  /** Called if the reader leaves. */
  readonly onCancel?: (() => void) | undefined
  readonly timers: Timers
}

/** Server-sent events with JSON as data. They are made when the reader asks for more. A comment is sent while nothing comes for long. */
export function eventStream(
  events: AsyncIterable<unknown>,
  { end, onCancel, timers }: EventStreamOptions,
): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder()
  const iterator = events[Symbol.asyncIterator]()
  let timer: unknown
  return new ReadableStream({
    async pull(controller) {
      const beat = (): void => {
        // One that waits to be read is enough.
        if ((controller.desiredSize ?? 0) > 0) controller.enqueue(encoder.encode(": still here\n\n"))
        timer = timers.set(beat, heartbeatMs)
      }
      timer = timers.set(beat, heartbeatMs)
      try {
        const next = await iterator.next()
        if (next.done !== true) return controller.enqueue(encoder.encode(`data: ${JSON.stringify(next.value)}\n\n`))
        if (end !== undefined) controller.enqueue(encoder.encode(`data: ${end}\n\n`))
        controller.close()
      } finally {
        timers.clear(timer)
      }
    },
    cancel() {
      timers.clear(timer)
      onCancel?.()
    },
  })
}
