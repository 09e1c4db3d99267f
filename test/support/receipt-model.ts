import type { ServiceKey } from "../../src/core/conversation.ts"
import type { Receipt } from "../../src/memory/services/store/receipt.ts"
import type { StoreScope } from "../../src/memory/services/store/store.ts"

export type ModelReceipt = Pick<Receipt, "key" | "turnId" | "kind" | "outcome" | "attempt" | "startedMs" | "durationMs" | "model">

/** The turns of a conversation as a tree: each stands behind one, and history is the way to the last. */
interface Tree {
  readonly behind: Map<string, string | undefined>
  last: string | undefined
}

const nameOf = ({ agent, conversation }: Pick<ServiceKey, "agent" | "conversation">) => `${agent}/${conversation}`

/** What a store's receipts must do: one list, and conversations as trees of turns. */
export class ReceiptModel {
  #receipts: ModelReceipt[] = []
  readonly #trees = new Map<string, Tree>()

  /** The turns of a conversation, also those that are set aside. */
  turnsOf(key: ServiceKey): readonly string[] {
    return [...(this.#trees.get(nameOf(key))?.behind.keys() ?? [])]
  }

  /** A turn behind the last one, or behind `after`. If any turn changes its place, what those that are set aside have left goes. */
  commit(key: ServiceKey, turnId: string, after: string | null | undefined): undefined {
    const tree: Tree = this.#trees.get(nameOf(key)) ?? { behind: new Map(), last: undefined }
    this.#trees.set(nameOf(key), tree)
    if (after !== undefined) {
      const before = this.#history(key).join()
      tree.last = after ?? undefined
      const history = this.#history(key)
      const isAside = (receipt: ModelReceipt): boolean =>
        nameOf(receipt.key) === nameOf(key) && tree.behind.has(receipt.turnId) && !history.includes(receipt.turnId)
      if (history.join() !== before) this.#receipts = this.#receipts.filter((receipt) => !isAside(receipt))
    }
    tree.behind.set(turnId, tree.last)
    tree.last = turnId
  }

  /** Replaces the same user's receipt of the turn and kind unless that one is final. */
  put(receipt: ModelReceipt, ofTurn: boolean): { readonly code: string } | undefined {
    const { key, turnId, kind } = receipt
    if (ofTurn && !this.#history(key).includes(turnId)) return { code: "aborted" }
    const at = this.#receipts.findIndex(
      (other) => nameOf(other.key) === nameOf(key) && other.turnId === turnId && other.kind === kind,
    )
    const before = this.#receipts[at]
    if (before === undefined) this.#receipts.push(receipt)
    else if (before.key.user === key.user && !["ok", "empty", "skipped"].includes(before.outcome)) this.#receipts[at] = receipt
    return undefined
  }

  ofTurn(turnId: string, key: ServiceKey): readonly ModelReceipt[] {
    return this.#receipts.filter(
      (receipt) => receipt.turnId === turnId && nameOf(receipt.key) === nameOf(key) && receipt.key.user === key.user,
    )
  }

  since({ agent, user }: ServiceKey, sinceMs: number): readonly ModelReceipt[] {
    return this.#receipts.filter(({ key, startedMs }) => key.agent === agent && key.user === user && startedMs >= sinceMs)
  }

  /** Returns how many receipts went. */
  forget(scope: StoreScope): number {
    const isOwned = ({ agent, conversation, user }: ServiceKey): boolean =>
      agent === scope.agent &&
      ("user" in scope ? user === scope.user : !("conversation" in scope) || conversation === scope.conversation)
    const count = this.#receipts.length
    this.#receipts = this.#receipts.filter(({ key }) => !isOwned(key))
    if (!("user" in scope))
      for (const name of this.#trees.keys()) {
        const [agent = "", conversation = ""] = name.split("/")
        if (agent === scope.agent && (!("conversation" in scope) || conversation === scope.conversation)) this.#trees.delete(name)
      }
    return count - this.#receipts.length
  }

  #history(key: ServiceKey): readonly string[] {
    const tree = this.#trees.get(nameOf(key))
    const found: string[] = []
    for (let turn = tree?.last; turn !== undefined; turn = tree?.behind.get(turn)) found.push(turn)
    return found
  }
}
