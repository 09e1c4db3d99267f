/** A turn of the oracle: one or two texts behind another turn. */
export interface OracleTurn {
  readonly kind: "turn" | "heard" | "failed"
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
  ok?: boolean
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
  #waiting: OracleAct[] = []

  /** The turns of the history. */
  path(): OracleTurn[] {
    return pathTo(this.end)
  }

  hear(words: string): void {
    this.#add({ kind: "heard", texts: [words], parent: this.end })
  }

  ask(act: OracleAct): void {
    this.#waiting.push(act)
    this.#goOn()
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
      this.#begin(next)
    }
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
    const heard = leaving.filter(({ kind }, at) => kind === "heard" && (texts === undefined || at > 0))
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

/** The turns from the beginning to one of them; none for undefined. */
export function pathTo(end: OracleTurn | undefined): OracleTurn[] {
  const path: OracleTurn[] = []
  for (let turn = end; turn; turn = turn.parent) path.unshift(turn)
  return path
}
