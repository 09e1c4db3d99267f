import type { BeforeTurnContext, TurnHook } from "../services/turn-hook.ts"
import type { PromptStack } from "../stack/prompt-stack.ts"
import type { Tool } from "../tools/tool.ts"
import type { TurnRun } from "./turn-run.ts"
import { whatHappened, within } from "./within.ts"

/** Hooks run in their order, each on a fork of its own, so that one that comes too late changes nothing. */
export async function runHooks(run: TurnRun): Promise<void> {
  for (const hook of run.setup.hooks) if (hook.beforeTurn) await runHook(run, hook)
}

async function runHook(run: TurnRun, hook: TurnHook): Promise<void> {
  const { limits, ports } = run.setup
  const changes = new HookChanges(run, hook.name)
  const outcome = await within({ timeoutMs: limits.prestartMs, signal: run.signal, timers: ports.timers }, (signal) =>
    hook.beforeTurn?.(changes.context(signal)),
  )
  if (outcome.status === "done") changes.adopt()
  else if (outcome.status !== "aborted") run.warn("hook", `The hook ${hook.name} ${whatHappened(outcome, limits.prestartMs)}.`)
}

/** What one hook changes in a turn, until it is adopted as a whole. */
class HookChanges {
  readonly #run: TurnRun
  readonly #name: string
  readonly #stack: PromptStack
  readonly #tools: Tool[] = []
  readonly #withdrawn: string[] = []
  readonly #warnings: string[] = []
  #state: unknown
  #isAdopted = false

  constructor(run: TurnRun, name: string) {
    this.#run = run
    this.#name = name
    this.#stack = run.setup.stack.fork()
    this.#state = run.hookStates.get(name)
  }

  context(signal: AbortSignal): BeforeTurnContext {
    const { turnId, key, question, memoryOn } = this.#run.setup
    return {
      turnId,
      key,
      speaker: question.speaker,
      question: question.text,
      memoryOn,
      stack: this.#stack,
      state: {
        get: () => this.#state,
        set: (value) => {
          this.#state = value
          if (this.#isAdopted) this.#run.hookStates.set(this.#name, value)
        },
      },
      signal,
      addTools: (tools) => {
        this.#tools.push(...tools)
      },
      withdrawTools: (names) => {
        this.#withdrawn.push(...names)
      },
      warn: (message) => {
        this.#warnings.push(message)
      },
    }
  }

  adopt(): void {
    this.#run.setup.stack.adopt(this.#stack)
    this.#isAdopted = true
    if (this.#state !== undefined) this.#run.hookStates.set(this.#name, this.#state)
    for (const message of this.#warnings) this.#run.warn("hook", message)
    for (const { name } of this.#run.changeTools(this.#tools, this.#withdrawn)) {
      this.#run.warn("hook", `The hook ${this.#name} adds the tool ${name}, whose name is taken; it was left out.`)
    }
  }
}
