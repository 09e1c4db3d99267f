interface RejectionEvents {
  on(event: "unhandledRejection", listener: (reason: unknown) => void): unknown
  off(event: "unhandledRejection", listener: (reason: unknown) => void): unknown
}

/** Runs `task` and gives the rejections that nobody handled meanwhile; none in a host that does not tell of them. */
export async function unhandledDuring(task: () => Promise<void>): Promise<readonly unknown[]> {
  const host = globalThis as { readonly process?: Partial<RejectionEvents> }
  const unhandled: unknown[] = []
  const listener = (reason: unknown) => void unhandled.push(reason)
  host.process?.on?.("unhandledRejection", listener)
  try {
    await task()
    // They are told after the microtasks of the turn in which they happened.
    for (let turn = 0; turn < 2; turn++) await new Promise((resolve) => setTimeout(resolve, 0))
  } finally {
    host.process?.off?.("unhandledRejection", listener)
  }
  return unhandled
}
