/** Reads how long a server asks to be left alone, in milliseconds; `undefined` where it does not say or means no time. */
export function retryAfterMs(headers: Pick<Headers, "get">, nowMs: number): number | undefined {
  const milliseconds = waitOf(Number.parseFloat(headers.get("retry-after-ms") ?? ""))
  if (milliseconds !== undefined) return milliseconds
  const header = headers.get("retry-after")?.trim() ?? ""
  if (header === "") return undefined
  const seconds = Number(header)
  if (!Number.isNaN(seconds)) return waitOf(seconds * 1000)
  // The server's own clock, where it tells it: ours may be wrong.
  const sentMs = Date.parse(headers.get("date") ?? "")
  return waitOf(Date.parse(header) - (Number.isNaN(sentMs) ? nowMs : sentMs))
}

function waitOf(milliseconds: number): number | undefined {
  return Number.isFinite(milliseconds) && milliseconds >= 0 ? Math.ceil(milliseconds) : undefined
}
