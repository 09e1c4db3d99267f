/** A turn of the oracle: one or two texts behind another turn. */
export interface OracleTurn {
  /** `joined`: heard words that a newer message's turn is to answer. */
  readonly kind: "turn" | "heard" | "joined" | "failed"
  readonly texts: readonly string[]
  parent: OracleTurn | undefined
}

/** Something that was asked of a session. `ok` is set once it is known how it ends. */
export interface OracleAct {
  readonly act: "send" | "regenerate" | "edit" | "edit answer" | "rewind" | "choose"
  readonly words: string
  /** The turn that it is about; undefined for the conversation's beginning. */
  readonly target?: OracleTurn | undefined
  isAborted?: boolean
  ok?: boolean | "joined"
  atMs?: number
  /** The number of its place in the queue. */
  place?: number
}

/** The settings of a conversation by which messages meet. */
export interface Manners {
  readonly mergeMs: number
  readonly interrupt: "queue" | "join" | "abort"
}

/** What {@link Oracle.running} will answer, and behind which turn. */
interface RunningTurn {
  readonly of: OracleAct
  readonly words: string
  /** True if it comes in the place of another turn, behind `base`. */
  readonly replaces: boolean
  readonly base: OracleTurn | undefined
}

/** A session as a plain tree of turns and a queue: what {@link Session} should be, one thing after the other. */
export class Oracle {
  /** In the order in which they were written. */
  readonly turns: OracleTurn[] = []
  end: OracleTurn | undefined
  running: RunningTurn | undefined
  readonly #manners: Manners
  #waiting: OracleAct[] = []
  #nowMs = 0
  #places = 0

  constructor(manners: Manners) {
    this.#manners = manners
  }

  /** True as long as a turn runs or waits. */
  get isBusy(): boolean {
    return this.running !== undefined || this.#waiting.length > 0
  }

  /** The turns of the history. */
  path(): OracleTurn[] {
    return pathTo(this.end)
  }

  hear(words: string, kind: "heard" | "joined" = "heard"): void {
    this.#add({ kind, texts: [words], parent: this.end })
  }

  /** `shown` is what the running turn has shown of its answer. */
  ask(act: OracleAct, shown?: string): void {
    act.atMs = this.#nowMs
    act.place = ++this.#places
    const { running } = this
    this.#waiting.push(act)
    if (act.act === "send" && running !== undefined) {
      if (shown === undefined && this.#joins(running.of, act)) {
        this.running = undefined
        this.#join(running.of)
      } else if (this.#manners.interrupt === "abort") this.finish({ answer: shown, isWhole: false })
    }
    this.#goOn()
  }

  /** The turn that a message would join that came now. */
  joinable(shown: string | undefined): OracleAct | undefined {
    const before = this.running?.of ?? this.#waiting[0]
    if (before === undefined || (this.running !== undefined && shown !== undefined)) return undefined
    const isLast = this.running === undefined ? this.#waiting.length === 1 : this.#waiting.length === 0
    const next = { act: "send", words: "", atMs: this.#nowMs, place: this.#places + 1 } as const
    return isLast && !before.isAborted && this.#joins(before, next) ? before : undefined
  }

  tick(ms: number): void {
    this.#nowMs += ms
    this.#goOn()
  }

  #joins(before: OracleAct, next: OracleAct): boolean {
    const { mergeMs, interrupt } = this.#manners
    const { atMs = 0, place = 0 } = before
    const isNear = mergeMs > 0 && (next.atMs ?? 0) - atMs <= mergeMs
    return before.act === "send" && next.place === place + 1 && (isNear || interrupt === "join")
  }

  #join(act: OracleAct): void {
    act.ok = "joined"
    this.hear(act.words, "joined")
  }

  /** The running turn ends: with its answer, or with an error after what was shown. */
  finish({ answer, isWhole }: { readonly answer: string | undefined; readonly isWhole: boolean }): void {
    const { running } = this
    if (running === undefined) return
    this.running = undefined
    running.of.ok = isWhole
    const texts = answer === undefined ? [running.words] : [running.words, answer]
    if (isWhole && running.replaces) this.#goBehind(running.base, texts)
    else if (isWhole) this.#add({ kind: "turn", texts, parent: this.end })
    // A turn that was to replace another leaves nothing.
    else if (!running.replaces) this.#add({ kind: "failed", texts, parent: this.end })
    this.#goOn()
  }

  abort(act: OracleAct): void {
    act.isAborted = true
    act.ok = false
    this.#goOn()
  }

  /** The process is about to end: nothing that waits will begin. */
  forgetWaiting(): void {
    this.#waiting = []
  }

  /** The process is gone, and everything that was not written. */
  crash(): void {
    this.forgetWaiting()
    this.running = undefined
  }

  #goOn(): void {
    while (this.running === undefined) {
      const next = this.#waiting.shift()
      if (next === undefined) return
      const later = this.#waiting.find(({ act, isAborted }) => act === "send" && !isAborted)
      const isTurn = ["send", "regenerate", "edit"].includes(next.act) && !next.isAborted
      const untilMs = (next.atMs ?? 0) + this.#manners.mergeMs
      if (isTurn && later && this.#joins(next, later)) this.#join(next)
      else if (isTurn && later && this.#manners.interrupt === "abort") this.#endWaiting(next)
      else if (isTurn && this.#waiting.length === 0 && next.act === "send" && this.#nowMs < untilMs) {
        this.#waiting.unshift(next)
        return
      } else this.#begin(next)
    }
  }

  /** A newer message ends a turn before it begins. */
  #endWaiting(act: OracleAct): void {
    act.ok = false
    if (act.act === "send") this.#add({ kind: "failed", texts: [act.words], parent: this.end })
  }

  #begin(of: OracleAct): void {
    const { act, words, target } = of
    const path = this.path()
    const isThere = target === undefined || path.includes(target)
    if (act === "send") {
      if (of.isAborted) this.#add({ kind: "failed", texts: [words], parent: this.end })
      else this.running = { of, words, replaces: false, base: this.end }
    } else if (act === "regenerate" || act === "edit") {
      const last = act === "edit" ? target : path.findLast(({ kind }) => kind !== "heard")
      if (of.isAborted) return
      if (last === undefined || !isThere) of.ok = false
      else this.running = { of, words: act === "edit" ? words : (last.texts[0] ?? ""), replaces: true, base: last.parent }
    } else if (act === "choose") {
      of.ok = true
      if (!isThere) this.#choose(target)
    } else {
      of.ok = isThere
      if (isThere && act === "rewind") this.end = target
      else if (isThere) this.#goBehind(target?.parent, [target?.texts[0] ?? "", words])
    }
  }

  #choose(target: OracleTurn): void {
    let end = target
    for (let next = this.#lastBehind(end); next; next = this.#lastBehind(end)) end = next
    this.#goBehind(end)
  }

  #lastBehind(turn: OracleTurn): OracleTurn | undefined {
    return this.turns.findLast(({ parent }) => parent === turn)
  }

  /** Goes on behind a turn. Heard words that would leave go on behind that, but for the turn in whose place the new texts stand. */
  #goBehind(base: OracleTurn | undefined, texts?: readonly string[]): void {
    const stay = new Set(pathTo(base))
    const leaving = this.path().filter((turn) => !stay.has(turn))
    const heard = leaving.filter(({ kind }, at) => isHeard(kind) && (texts === undefined || at > 0))
    for (const gone of heard) {
      this.turns.splice(this.turns.indexOf(gone), 1)
      for (const turn of this.turns) if (turn.parent === gone) turn.parent = gone.parent
    }
    this.end = base
    if (texts !== undefined) this.#add({ kind: "turn", texts, parent: base })
    for (const turn of heard) {
      turn.parent = this.end
      this.#add(turn)
    }
  }

  #add(turn: OracleTurn): void {
    this.turns.push(turn)
    this.end = turn
  }
}

function isHeard(kind: OracleTurn["kind"]): boolean {
  return kind === "heard" || kind === "joined"
}

/** The turns from the beginning to one of them; none for undefined. */
export function pathTo(end: OracleTurn | undefined): OracleTurn[] {
  const path: OracleTurn[] = []
  for (let turn = end; turn; turn = turn.parent) path.unshift(turn)
  return path
}
