import { hostCost, hostSteps, orderTest, type PatternWork, requiredOf, stepsOfCharacter, type TextTest } from "./host-search.ts"
import { followed, type PatternNode, type Refusal, UnfollowablePattern } from "./pattern-syntax.ts"

/** The most states of a compiled pattern; each character of a text may visit each of them. */
const maxStates = 1_000

/** The host searches for a pattern if it can take at most so many steps from each character. */
const maxHostSteps = 250

/** The characters that the host passes over in one of our own steps. */
const charactersOfStep = 32

/**
 * Compiles a regular expression of a stranger so that no text makes it slow. The host's own `RegExp` goes back and tries again, in
 * exponential time for some patterns. It gets those where it can take a few steps only, in any text or in this one; for others it only tests
 * single characters, and all alternatives are followed at once (Thompson, 1968). A pattern with a look-around or a backreference, or with
 * too many states, is refused: the result is the reason.
 */
export function compilePattern(source: string, flags: string): TextTest | Refusal {
  return followed(source, flags.replace(/[gyd]/g, ""), (host, root) => {
    const used = host.flags
    const program = createProgram(root, used)
    const steps = hostSteps(root, 1, { most: maxHostSteps, longest: () => Number.POSITIVE_INFINITY })
    if (steps <= maxHostSteps) return hostTest(host, Math.ceil(steps / stepsOfCharacter))
    const search = createSearch(program)
    const first = orderTest(requiredOf(root), used)
    const costOf = hostCost(root, used)
    return (text, work, runs = new Map()) => {
      if (!first(text, work)) return false
      const most = charactersOfStep * text.length
      const cost = costOf(text, most, work, runs)
      if (cost > most) return search(text, work)
      work.left -= cost
      return host.test(text)
    }
  })
}

function hostTest(host: RegExp, weight: number): TextTest {
  return (text, work) => {
    work.left -= weight * text.length
    return host.test(text)
  }
}

type State =
  | { readonly kind: "set"; readonly test: (code: number) => boolean; next: number }
  | { readonly kind: "assertion"; readonly name: "start" | "end" | "boundary" | "notBoundary"; next: number }
  | { readonly kind: "split"; next: number; other: number }
  | { readonly kind: "match" }

interface Program {
  readonly states: readonly State[]
  readonly start: number
  readonly unicode: boolean
  readonly multiline: boolean
  readonly isWord: (code: number) => boolean
}

/** Builds the states from the end backwards: each part is given the state that follows it. */
function createProgram(root: PatternNode, flags: string): Program {
  const states: State[] = [{ kind: "match" }]
  const tests = new Map<string, (code: number) => boolean>()
  const testOf = (set: string): ((code: number) => boolean) => {
    const test = tests.get(set) ?? characterTest(set, flags)
    tests.set(set, test)
    return test
  }
  const add = (state: State): number => {
    if (states.push(state) > maxStates) throw new UnfollowablePattern(`the pattern has more than ${maxStates} states`)
    return states.length - 1
  }
  const build = (node: PatternNode, next: number): number => {
    if (node.kind === "set") return add({ kind: "set", test: testOf(node.set), next })
    if (node.kind === "assertion") return add({ kind: "assertion", name: node.name, next })
    if (node.kind === "sequence") return node.nodes.reduceRight((after, part) => build(part, after), next)
    if (node.kind === "choice")
      return node.nodes.map((part) => build(part, next)).reduce((other, start) => add({ kind: "split", next: start, other }))
    return repeat(node, next)
  }
  const repeat = ({ node, min, max }: PatternNode & { kind: "repeat" }, next: number): number => {
    if (min > maxStates) throw new UnfollowablePattern(`the pattern has more than ${maxStates} states`)
    let start = next
    if (max === Number.POSITIVE_INFINITY) {
      const loop: State = { kind: "split", next: 0, other: next }
      start = add(loop)
      loop.next = build(node, start)
    }
    for (let at = min; at < max && max !== Number.POSITIVE_INFINITY; at++)
      start = add({ kind: "split", next: build(node, start), other: next })
    for (let at = 0; at < min; at++) {
      const before = start
      start = build(node, before)
      if (start === before) break
    }
    return start
  }
  const isWord = characterTest("\\w", flags)
  const start = build(root, 0)
  return { states, start, unicode: flags.includes("u"), multiline: flags.includes("m"), isWord }
}

/** Remembers what `RegExp` says of each character. */
function characterTest(set: string, flags: string): (code: number) => boolean {
  const pattern = new RegExp(`^(?:${set})$`, flags.replace("m", ""))
  const known = new Map<number, boolean>()
  return (code) => {
    let found = known.get(code)
    if (found === undefined) {
      found = pattern.test(String.fromCodePoint(code))
      if (known.size < 4_096) known.set(code, found)
    }
    return found
  }
}

const none = -1

/**
 * All states that a text can be in after some of its characters: the alternatives that are still open, and the kind of the last
 * character. The steps from here are remembered, so that a text mostly costs one look-up for each character.
 */
interface Position {
  readonly active: readonly number[]
  /** The last character, or another one of its kind. */
  readonly before: number
  readonly steps: Map<number, Position | "match">
}

/** The most that a pattern remembers; then it forgets all of it, and after a few times no longer tries. */
const maxRemembered = 10_000
const maxForgotten = 10

/** A search for a program in texts, which remembers the steps of earlier ones. */
function createSearch(program: Program): TextTest {
  const { unicode, isWord } = program
  const advance = createAdvance(program)
  const positions = new Map<string, Position>()
  let remembered = 0
  let forgotten = 0
  const positionAt = (active: readonly number[], before: number): Position => {
    if (forgotten > maxForgotten) return { active, before, steps: new Map() }
    const name = `${before}:${active.toSorted((a, b) => a - b)}`
    const known = positions.get(name)
    if (known) return known
    const position: Position = { active, before, steps: new Map() }
    remembered += active.length + 1
    positions.set(name, position)
    return position
  }
  const stepFrom = (from: Position, code: number, work: PatternWork): Position | "match" => {
    work.left -= charactersOfStep * program.states.length
    if (remembered > maxRemembered) {
      positions.clear()
      remembered = 0
      forgotten++
    }
    const active = advance(from, code)
    const kind = code === none ? none : isLineEnd(code) ? 0x0a : isWord(code) ? 0x61 : 0x20
    const step = active === "match" ? "match" : positionAt(active, kind)
    from.steps.set(code, step)
    remembered++
    return step
  }
  return (text, work) => {
    work.left -= charactersOfStep * text.length
    let position = positionAt([], none)
    for (let at = 0; ; ) {
      const code = at >= text.length ? none : unicode ? (text.codePointAt(at) as number) : text.charCodeAt(at)
      const step = position.steps.get(code) ?? stepFrom(position, code, work)
      if (step === "match") return true
      if (code === none) return false
      position = step
      at += code > 0xffff ? 2 : 1
    }
  }
}

/** A function for the alternatives that are open after one more character; `match` if the pattern ended before it. */
function createAdvance(program: Program): (from: Position, code: number) => readonly number[] | "match" {
  const { states, start } = program
  // A state was seen in this step if its mark is the step's number, so that nothing has to be emptied.
  const seen = new Int32Array(states.length)
  const taken = new Int32Array(states.length)
  let step = 0
  return ({ active, before }, code) => {
    step = (step + 1) | 0
    const next: number[] = []
    const stack = [...active, start]
    while (stack.length > 0) {
      const index = stack.pop() as number
      if (seen[index] === step) continue
      seen[index] = step
      const state = states[index] as State
      if (state.kind === "match") return "match"
      if (state.kind === "set") {
        if (taken[state.next] === step || code === none || !state.test(code)) continue
        taken[state.next] = step
        next.push(state.next)
      } else if (state.kind === "split") stack.push(state.other, state.next)
      else if (holds(state.name, program, before, code)) stack.push(state.next)
    }
    return next
  }
}

function holds(
  name: (State & { kind: "assertion" })["name"],
  { multiline, isWord }: Program,
  before: number,
  after: number,
): boolean {
  if (name === "start") return before === none || (multiline && isLineEnd(before))
  if (name === "end") return after === none || (multiline && isLineEnd(after))
  const isBoundary = (before !== none && isWord(before)) !== (after !== none && isWord(after))
  return isBoundary === (name === "boundary")
}

function isLineEnd(code: number): boolean {
  return code === 0x0a || code === 0x0d || code === 0x2028 || code === 0x2029
}
