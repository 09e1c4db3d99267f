import { readFileSync } from "node:fs"
import { describe, expect, test } from "vitest"
import { retrievability } from "../../src/core/retrievability.ts"
import { reviewStability } from "../../src/memory/forgetting/decay.ts"
import { dataFolder, dataPresent } from "../support/corpora.ts"

interface Vector {
  readonly S: number
  readonly dtDays: number
  readonly jumps: number
  readonly kind: "used" | "maybe"
  readonly R: number
  readonly S_next: number
}

describe.skipIf(!dataPresent)("the worked numbers of forgetting (R19)", () => {
  test("are met to six places", () => {
    const { vectors } = JSON.parse(readFileSync(`${dataFolder}recall/forget-vectors.json`, "utf8")) as { vectors: Vector[] }
    expect(vectors).toHaveLength(90)
    for (const { S: stability, dtDays: days, jumps: turnsSince, kind, R, S_next } of vectors) {
      expect(retrievability({ stability, days })).toBeCloseTo(R, 6)
      const use = kind === "used" ? "used" : "maybe-used"
      expect(Math.abs(reviewStability({ stability, days, turnsSince, use }) - S_next)).toBeLessThanOrEqual(1e-6)
    }
  })
})
