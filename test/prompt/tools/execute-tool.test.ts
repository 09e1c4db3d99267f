import { describe, expect, test } from "vitest"
import { z } from "zod"
import type { Timers } from "../../../src/core/ports.ts"
import { defineTool, type ToolDefinition } from "../../../src/prompt/tools/define-tool.ts"
import { type ExecuteToolOptions, executeTool } from "../../../src/prompt/tools/execute-tool.ts"
import type { Tool } from "../../../src/prompt/tools/tool.ts"

interface ManualTimers extends Timers {
  readonly delaysMs: () => number[]
  fire(): void
}

function manualTimers(): ManualTimers {
  const waiting = new Map<number, { callback: () => void; delayMs: number }>()
  let last = 0
  return {
    set(callback, delayMs) {
      waiting.set(++last, { callback, delayMs })
      return last
    },
    clear: (handle) => void waiting.delete(handle as number),
    delaysMs: () => [...waiting.values()].map(({ delayMs }) => delayMs),
    fire() {
      const due = [...waiting.values()]
      waiting.clear()
      for (const { callback } of due) callback()
    },
  }
}

function setting(given: Partial<ExecuteToolOptions> = {}) {
  const timers = manualTimers()
  const turn = new AbortController()
  let nowMs = 1_000
  const clock = { nowMs: () => (nowMs += 5) }
  const key = { agent: "a", conversation: "c", audience: "private", user: "u" } as const
  const notice = (kept: number, total: number) => `[${kept}/${total}]`
  const options: ExecuteToolOptions = {
    context: { key, turnId: "t1", clock },
    signal: turn.signal,
    timers,
    timeoutMs: 30_000,
    notice,
    ...given,
  }
  return { timers, turn, options, run: (tool: Tool, args: unknown = {}) => executeTool(tool, args, options) }
}

const tool = (execute: ToolDefinition["execute"], rest: Partial<ToolDefinition> = {}): Tool =>
  defineTool({ name: "probe", description: "", ...rest, execute })

const turnsOfTheLoop = () => new Promise((resolve) => setImmediate(resolve))

describe("executeTool", () => {
  test("gives checked arguments, the context and a signal of its own to the tool", async () => {
    const { run, options } = setting()
    const seen: unknown[] = []
    const probe = defineTool({
      name: "probe",
      description: "",
      inputSchema: z.object({ city: z.string(), days: z.number().default(3) }),
      execute: (args, context) => {
        seen.push(args, context.turnId, context.key, context.signal === options.signal, context.signal.aborted)
        return { ok: true }
      },
    })
    const outcome = await run(probe, { city: "北京" })
    expect(outcome).toEqual({ status: "ok", args: { city: "北京", days: 3 }, result: '{"ok":true}', durationMs: 5 })
    expect(seen).toEqual([{ city: "北京", days: 3 }, "t1", options.context.key, false, false])
  })

  test("leaves neither a timer nor a listener behind", async () => {
    const { run, timers, turn } = setting()
    let signal: AbortSignal | undefined
    await run(
      tool((_args, context) => {
        signal = context.signal
      }),
    )
    expect(timers.delaysMs()).toEqual([])
    turn.abort()
    expect(signal?.aborted).toBe(false)
  })

  test("T18: arguments that do not fit are a failure with the schema's complaint, and nothing runs", async () => {
    let ran = false
    const probe = defineTool({
      name: "p",
      description: "",
      inputSchema: z.object({ city: z.string() }),
      execute: () => {
        ran = true
      },
    })
    expect(await setting().run(probe, {})).toMatchObject({
      status: "failed",
      failure: { kind: "invalid-arguments", issues: [expect.stringMatching(/^city: /)] },
    })
    expect(ran).toBe(false)
  })

  const hostile = new Proxy(
    {},
    {
      get: () => {
        throw new Error("no")
      },
      has: () => {
        throw new Error("no")
      },
      getPrototypeOf: () => {
        throw new Error("no")
      },
    },
  )

  test.each<[string, unknown, string]>([
    ["an Error", new Error("no network"), "no network"],
    ["an Error without a message", new TypeError(), "TypeError"],
    ["a string", "boom", "boom"],
    ["undefined", undefined, "undefined"],
    ["null", null, "null"],
    ["an object", { code: 5 }, '{"code":5}'],
    ["a bigint", 5n, "[object BigInt]"],
    ["a thing that throws when looked at", hostile, "unknown"],
  ])("T18: throwing %s is a failure with its reason", async (_name, thrown, reason) => {
    const failed = { status: "failed", failure: { kind: "threw", reason } }
    expect(
      await setting().run(
        tool(() => {
          throw thrown
        }),
      ),
    ).toMatchObject(failed)
    expect(await setting().run(tool(() => Promise.reject(thrown)))).toMatchObject(failed)
  })

  test("T18: a check that throws against its contract is a failure too", async () => {
    const broken = {
      ...tool(() => ""),
      check: () => {
        throw new Error("check")
      },
    }
    expect(await setting().run(broken)).toMatchObject({ failure: { kind: "threw", reason: "check" } })
  })

  test("T18: a tool past its timeout is a failure at once, and its own signal aborts", async () => {
    const { run, timers } = setting()
    let signal: AbortSignal | undefined
    const outcome = run(
      tool(
        (_args, context) => {
          signal = context.signal
          return new Promise(() => {})
        },
        { timeoutMs: 500 },
      ),
    )
    await turnsOfTheLoop()
    expect(timers.delaysMs()).toEqual([500])
    timers.fire()
    expect(await outcome).toMatchObject({ status: "failed", failure: { kind: "timeout", timeoutMs: 500 } })
    expect(signal?.aborted).toBe(true)
    expect(signal?.reason).toMatchObject({ name: "TimeoutError" })
  })

  test.each<[string, Partial<ExecuteToolOptions>, Partial<ToolDefinition>, number]>([
    ["the turn's for a tool without one", {}, {}, 30_000],
    ["the tool's own, also a longer one", {}, { timeoutMs: 60_000 }, 60_000],
    ["the call's before both", { callTimeoutMs: 100 }, { timeoutMs: 60_000 }, 100],
    ["never more than a timer can hold", { timeoutMs: Number.POSITIVE_INFINITY }, {}, 2_147_483_647],
  ])("the limit is %s", async (_name, options, settings, delayMs) => {
    const { run, timers } = setting(options)
    const running = run(tool(() => new Promise(() => {}), settings))
    expect(timers.delaysMs()).toEqual([delayMs])
    timers.fire()
    await running
  })

  test("H11: progress begins the tool's limit anew, but not that of a call, nor after the end", async () => {
    const steps = Promise.withResolvers<void>()
    const working = tool(async (_args, context) => {
      await steps.promise
      context.progress?.({ progress: 1, total: 2 })
      return new Promise(() => {})
    })
    const { run, timers } = setting()
    const outcome = run(working)
    const set = timers.set
    const begun: number[] = []
    timers.set = (callback, delayMs) => {
      begun.push(delayMs)
      return set(callback, delayMs)
    }
    steps.resolve()
    await turnsOfTheLoop()
    expect(begun).toEqual([30_000])
    expect(timers.delaysMs()).toEqual([30_000])
    timers.fire()
    expect(await outcome).toMatchObject({ failure: { kind: "timeout" } })
    const bound = setting({ callTimeoutMs: 100 })
    const cut = bound.run(working)
    await turnsOfTheLoop()
    bound.timers.fire()
    expect(await cut).toMatchObject({ failure: { kind: "timeout", timeoutMs: 100 } })
    expect(bound.timers.delaysMs()).toEqual([])
  })

  test("T18: what an abandoned tool throws later is dropped, unheard", async () => {
    const unheard: unknown[] = []
    const listen = (reason: unknown) => unheard.push(reason)
    process.on("unhandledRejection", listen)
    try {
      const { run, timers } = setting()
      let fail = (_reason: unknown) => {}
      const outcome = run(
        tool(
          () =>
            new Promise((_resolve, reject) => {
              fail = reject
            }),
        ),
      )
      await turnsOfTheLoop()
      timers.fire()
      expect(await outcome).toMatchObject({ failure: { kind: "timeout" } })
      fail(new Error("late"))
      await turnsOfTheLoop()
      expect(unheard).toEqual([])
    } finally {
      process.off("unhandledRejection", listen)
    }
  })

  test("T20: aborting the turn ends the run at once and hands its reason to the tool", async () => {
    const { run, turn, timers } = setting()
    let signal: AbortSignal | undefined
    const outcome = run(
      tool((_args, context) => {
        signal = context.signal
        return new Promise(() => {})
      }),
    )
    await turnsOfTheLoop()
    turn.abort("stop")
    expect(await outcome).toMatchObject({ status: "failed", failure: { kind: "aborted" } })
    expect(signal?.reason).toBe("stop")
    expect(timers.delaysMs()).toEqual([])
  })

  test("T20: in an aborted turn no tool begins", async () => {
    const { run, turn } = setting()
    let ran = false
    turn.abort()
    expect(
      await run(
        tool(() => {
          ran = true
        }),
      ),
    ).toMatchObject({ failure: { kind: "aborted" } })
    await turnsOfTheLoop()
    expect(ran).toBe(false)
  })

  test("T20: a tool does not begin when the turn is aborted while its arguments are checked", async () => {
    const { run, turn } = setting()
    let ran = false
    let pass = () => {}
    const slow = {
      ...tool(() => {
        ran = true
      }),
      check: () =>
        new Promise<{ ok: true; value: object }>((resolve) => {
          pass = () => resolve({ ok: true, value: {} })
        }),
    }
    const outcome = run(slow)
    turn.abort()
    pass()
    expect(await outcome).toMatchObject({ failure: { kind: "aborted" } })
    await turnsOfTheLoop()
    expect(ran).toBe(false)
  })

  test("caps a long result and a long reason at the tool's limit, with a visible notice", async () => {
    const long = "x".repeat(1_000)
    const result = `${"x".repeat(70)}[90/1000]${"x".repeat(20)}`
    const limit = { maxResultCharacters: 100 }
    expect(await setting().run(tool(() => long, limit))).toMatchObject({ status: "ok", result, cappedFromCharacters: 1_000 })
    expect(await setting(limit).run(tool(() => long))).toMatchObject({ result })
    expect(
      await setting().run(
        tool(() => {
          throw new Error(long)
        }, limit),
      ),
    ).toMatchObject({ failure: { kind: "threw", reason: result } })
    expect(await setting().run(tool(() => "x".repeat(20_000)))).toEqual(
      expect.not.objectContaining({ cappedFromCharacters: expect.anything() }),
    )
  })

  test("settles even when the notice cannot be made", async () => {
    const notice = () => {
      throw new Error("no words")
    }
    expect(await setting({ notice }).run(tool(() => "x".repeat(30_000)))).toMatchObject({
      failure: { kind: "threw", reason: "no words" },
    })
    expect(
      await setting({ notice }).run(
        tool(() => {
          throw new Error("x".repeat(30_000))
        }),
      ),
    ).toMatchObject({ failure: { kind: "threw", reason: "no words" } })
  })
})
