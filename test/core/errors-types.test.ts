import { describe, expect, expectTypeOf, test } from "vitest"
import { type ErrorCode, type ErrorDetails, PromptStrataError, type PromptStrataErrorOf } from "../../src/core/errors.ts"
import type { ErrorEvidence } from "../../src/core/evidence/error-evidence.ts"

const shortage = { budgetTokens: 10, minimumTokens: 87, largest: [{ key: "lore", tokens: 60 }] }
const failure: unknown = new PromptStrataError("budget", "too large", { evidence: shortage })

describe("the type of an error", () => {
  test("its code tells the type of its evidence", () => {
    expect.assertions(1)
    if (PromptStrataError.isInstance(failure) && failure.code === "budget") {
      expectTypeOf(failure).toEqualTypeOf<PromptStrataErrorOf<"budget">>()
      expectTypeOf(failure.evidence).toEqualTypeOf<ErrorEvidence["budget"]>()
      expectTypeOf<"nope" extends keyof typeof failure.evidence ? true : false>().toEqualTypeOf<false>()
      const { minimumTokens } = failure.evidence
      expectTypeOf(minimumTokens).toEqualTypeOf<number>()
      expect(minimumTokens).toBe(87)
    }
  })

  test("a switch over the codes narrows too, and no field is readable before", () => {
    const told = (error: PromptStrataError): number | undefined => {
      switch (error.code) {
        case "model":
          return error.evidence.retryAfterMs
        case "file-size":
          return error.evidence.maxBytes
        default:
          return undefined
      }
    }
    expect(told(new PromptStrataError("model", "busy", { evidence: { retryAfterMs: 5 } }))).toBe(5)
    expect(told(new PromptStrataError("file-size", "large", { evidence: { maxBytes: 9 } }))).toBe(9)
    expectTypeOf<keyof PromptStrataError["evidence"]>().toEqualTypeOf<never>()
  })

  test("every error of one code is an error of this library", () => {
    expectTypeOf<
      { [C in ErrorCode]: PromptStrataErrorOf<C> extends PromptStrataError ? C : never }[ErrorCode]
    >().toEqualTypeOf<ErrorCode>()
    expectTypeOf(new PromptStrataError("usage", "x")).toEqualTypeOf<PromptStrataErrorOf<"usage">>()
  })
})

describe("the type of an error's details", () => {
  /** True where these details may be given to an error of this code. */
  type Fits<C extends ErrorCode, Details> = Details extends ErrorDetails<C> ? true : false

  test("takes the evidence of the code, and no other", () => {
    expectTypeOf<Fits<"budget", { evidence: typeof shortage }>>().toEqualTypeOf<true>()
    expectTypeOf<Fits<"budget", { evidence: { budgetTokens: number } }>>().toEqualTypeOf<false>()
    expectTypeOf<Fits<"model", { evidence: { retryAfterMs: string } }>>().toEqualTypeOf<false>()
  })

  test("wants evidence only where a field of it is always there", () => {
    expectTypeOf<Fits<"budget", { hint: string }>>().toEqualTypeOf<false>()
    expectTypeOf<Fits<"model", { hint: string }>>().toEqualTypeOf<true>()
    expectTypeOf<Fits<"aborted", { cause: unknown }>>().toEqualTypeOf<true>()
  })

  test("takes undefined for what is not known", () => {
    const error = new PromptStrataError("usage", "x", { hint: undefined, frame: undefined, source: undefined, cause: undefined })
    expect(error.message).toBe("x")
    expect("cause" in error).toBe(false)
  })
})

describe("a class derived from it", () => {
  class Shut extends PromptStrataError<"closed"> {
    readonly door = "back"
    constructor() {
      super("closed", "The door is shut.", { evidence: { agent: "mei" } })
    }
  }

  test("keeps its own members, its code and its evidence", () => {
    const error = new Shut()
    expectTypeOf(error.evidence).toEqualTypeOf<ErrorEvidence["closed"]>()
    expect(error).toMatchObject({ door: "back", code: "closed", evidence: { agent: "mei" } })
    expect([error instanceof Shut, error instanceof PromptStrataError, Shut.isInstance(error)]).toEqual([true, true, true])
    expect(new PromptStrataError("closed", "x") instanceof Shut).toBe(false)
  })
})
