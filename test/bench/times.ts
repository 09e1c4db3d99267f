import type { Row } from "./bench.ts"
import { cpuMsAlone, formatMs, formatRatio, median } from "./measure.ts"

/** Who is measured; `strict` is the floor with our own counter in place of tiktoken's. */
export type Who = "floor" | "strict" | "exact" | "ours"

const whos = ["floor", "strict", "exact", "ours"] as const satisfies readonly Who[]

/** CPU times by what was done and by whom. */
export class Times {
  readonly #ms = new Map<string, Record<Who, number[]>>()
  readonly #warmUps: number

  /** Of each series the first `warmUps` times are not counted. */
  constructor(warmUps = 0) {
    this.#warmUps = warmUps
  }

  async add(what: string, whose: Who, action: () => unknown): Promise<number> {
    const ms = await cpuMsAlone(action)
    this.note(what, whose, ms)
    return ms
  }

  note(what: string, whose: Who, ms: number): void {
    const known = this.#ms.get(what) ?? { floor: [], strict: [], exact: [], ours: [] }
    known[whose].push(ms)
    this.#ms.set(what, known)
  }

  rows(): Row[] {
    return [...this.#ms.keys()].map((what) => {
      const [floor, strict, exact, ours] = whos.map((whose) => this.#median(what, whose))
      return {
        what,
        ...(floor ? { floor: formatMs(floor) } : {}),
        ...(strict ? { "floor, our counter": formatMs(strict) } : {}),
        ...(exact ? { "by hand, exact": formatMs(exact) } : {}),
        ...(ours ? { ours: formatMs(ours) } : {}),
        ...(floor && ours ? { "ours / floor": precise(ours, floor) } : {}),
        ...(strict && ours ? { "with our counter": precise(ours, strict) } : {}),
        ...(exact && ours ? { "ours / exact": precise(ours, exact) } : {}),
      }
    })
  }

  /** How many times the CPU of the floor with our own counter something takes, in whole. */
  besideFloor(what: string): number {
    return this.#median(what, "ours") / this.#median(what, "strict")
  }

  growth(from: string, to: string, what: string): Row {
    return { what, "ours / floor": formatRatio(this.#median(to, "ours"), this.#median(from, "ours")) }
  }

  /** 0 where nobody was measured. */
  #median(what: string, whose: Who): number {
    const all = this.#ms.get(what)?.[whose] ?? []
    return all.length === 0 ? 0 : median(all.length > this.#warmUps ? all.slice(this.#warmUps) : all)
  }
}

/** As {@link formatRatio}, and a small one as a share: `1/20`. */
function precise(value: number, floor: number): string {
  return value < floor / 2 ? `1/${(floor / value).toFixed(0)}` : formatRatio(value, floor)
}
