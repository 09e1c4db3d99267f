import type { Row } from "./bench.ts"
import { cpuMs, formatMs, formatRatio, median } from "./measure.ts"

/** Who is measured. */
export type Who = "floor" | "exact" | "ours"

/** CPU times by what was done and by whom. */
export class Times {
  readonly #ms = new Map<string, Record<Who, number[]>>()
  readonly #warmUps: number

  /** Of each series the first `warmUps` times are not counted. */
  constructor(warmUps = 0) {
    this.#warmUps = warmUps
  }

  async add(what: string, whose: Who, action: () => unknown): Promise<number> {
    const ms = await cpuMs(action)
    this.note(what, whose, ms)
    return ms
  }

  note(what: string, whose: Who, ms: number): void {
    const known = this.#ms.get(what) ?? { floor: [], exact: [], ours: [] }
    known[whose].push(ms)
    this.#ms.set(what, known)
  }

  rows(): Row[] {
    return [...this.#ms.keys()].map((what) => {
      const [floor, exact, ours] = (["floor", "exact", "ours"] as const).map((whose) => this.#median(what, whose))
      return {
        what,
        ...(floor ? { floor: formatMs(floor) } : {}),
        ...(exact ? { "by hand, exact": formatMs(exact) } : {}),
        ...(ours ? { ours: formatMs(ours) } : {}),
        ...(floor && ours ? { "ours / floor": precise(ours, floor) } : {}),
        ...(exact && ours ? { "ours / exact": precise(ours, exact) } : {}),
      }
    })
  }

  growth(from: string, to: string, what: string): Row {
    return { what, "ours / floor": formatRatio(this.#median(to, "ours"), this.#median(from, "ours")) }
  }

  /** 0 where nobody was measured. */
  #median(what: string, whose: Who): number {
    const all = this.#ms.get(what)?.[whose] ?? []
    return all.length === 0 ? 0 : median(all.slice(this.#warmUps))
  }
}

/** As {@link formatRatio}, and a small one as a share: `1/20`. */
function precise(value: number, floor: number): string {
  return value < floor / 2 ? `1/${(floor / value).toFixed(0)}` : formatRatio(value, floor)
}
