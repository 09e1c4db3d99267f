import type { ToolCall } from "../../core/message.ts"
import { recordOf, stringOf } from "./json-access.ts"

interface OpenCall {
  id: string
  name: string
  readonly args: string[]
}

/** Puts tool calls together from deltas that may be split anywhere and interleaved. */
export interface ToolCallAssembler {
  push(delta: unknown): void
  /** Every call that has a name, in order of appearance, and how many had none. */
  end(): { readonly calls: readonly ToolCall[]; readonly nameless: number }
}

/** An assembler for one answer. A call without an id gets `call_1`, `call_2`, …; blank arguments are `{}`. */
export function createToolCallAssembler(): ToolCallAssembler {
  const opened: OpenCall[] = []
  const byIndex = new Map<unknown, OpenCall>()
  return {
    push(delta) {
      const wire = recordOf(delta)
      const fn = recordOf(wire.function)
      const id = stringOf(wire.id)
      const name = stringOf(fn.name)
      const known = byIndex.get(wire.index)
      const call = known && !beginsAnother(known, { id, name }) ? known : { id, name: "", args: [] }
      if (call !== known) {
        opened.push(call)
        byIndex.set(wire.index, call)
      }
      call.id ||= id
      // Some servers repeat the whole name with each delta, some send it in pieces.
      if (name !== call.name) call.name += name
      call.args.push(argumentsText(fn.arguments))
    },
    end() {
      const named = opened.filter((call) => call.name !== "")
      const calls = named.map(({ id, name, args }, at) => ({
        id: id || `call_${at + 1}`,
        name,
        args: args.join("").trim() === "" ? "{}" : args.join(""),
      }))
      return { calls, nameless: opened.length - named.length }
    },
  }
}

/** Servers that give every call index 0 are told apart by a new id together with a name. */
function beginsAnother(call: OpenCall, next: { readonly id: string; readonly name: string }): boolean {
  return next.id !== "" && next.name !== "" && call.id !== "" && next.id !== call.id
}

/** A few servers send arguments as an object instead of JSON text. */
function argumentsText(wire: unknown): string {
  return typeof wire === "object" && wire !== null ? JSON.stringify(wire) : stringOf(wire)
}
