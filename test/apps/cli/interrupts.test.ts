import { describe, expect, test } from "vitest"
import { createInterrupts } from "../../../src/apps/cli/interrupts.ts"
import type { Turn } from "../../../src/loop/agent/turn.ts"
import type { TurnResult } from "../../../src/trace/turn-event.ts"

/** A turn that can only be aborted and ended. */
function fakeTurn() {
  const { promise: result, resolve } = Promise.withResolvers<TurnResult>()
  let aborts = 0
  const turn = { result, abort: () => aborts++ } as unknown as Turn
  const end = async (): Promise<void> => {
    resolve({} as TurnResult)
    await result
  }
  return { turn, end, aborts: () => aborts }
}

async function leftWith(left: Promise<number>): Promise<number | "here"> {
  return Promise.race([left, new Promise<"here">((resolve) => setImmediate(resolve, "here" as const))])
}

describe("interrupts", () => {
  test("without a turn leave", async () => {
    const { press, left } = createInterrupts()
    press()
    expect(await leftWith(left)).toBe(130)
  })

  test("abort a turn that does not end, once, and leave at the second press", async () => {
    const { press, left, running } = createInterrupts()
    const { turn, aborts } = fakeTurn()
    running(turn)
    press()
    expect([await leftWith(left), aborts()]).toEqual(["here", 1])
    press()
    expect(await leftWith(left)).toBe(130)
  })

  test("begin anew with every turn", async () => {
    const { press, left, running } = createInterrupts()
    const [first, second] = [fakeTurn(), fakeTurn()]
    running(first.turn)
    press()
    await first.end()
    running(second.turn)
    press()
    expect([await leftWith(left), first.aborts(), second.aborts()]).toEqual(["here", 1, 1])
    await second.end()
    press()
    expect(await leftWith(left)).toBe(130)
  })

  test("leaving for another reason aborts what runs, and waits until it has ended", async () => {
    const { leave, left, running } = createInterrupts()
    const { turn, end, aborts } = fakeTurn()
    running(turn)
    leave(0)
    expect([await leftWith(left), aborts()]).toEqual(["here", 1])
    await end()
    expect([await leftWith(left), aborts()]).toEqual([0, 1])
  })
})
