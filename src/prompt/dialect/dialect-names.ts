import { authored, memoKind } from "../../core/memo.ts"
import type { TemplateNode } from "../template/ast.ts"
import { type Dialect, opensMessage } from "./dialect.ts"

/** The names in a dialect's files. */
export interface DialectNames {
  /** Names of slots and conditions, in any file. */
  readonly all: ReadonlySet<string>
  /** Names of conditions, in any file. */
  readonly conditions: ReadonlySet<string>
  /** Names of lists that a file prints as messages of their own: `${messages(history)}`. */
  readonly messageLists: ReadonlySet<string>
  /** Names of slots and conditions, by the name of the file. */
  readonly byFile: ReadonlyMap<string, ReadonlySet<string>>
}

/** The names in a dialect's files, also in branches and placeholders. They are found once for each dialect. */
export function dialectNames(dialect: Dialect): DialectNames {
  return authored.made(ofDialect, dialect, () => {
    const files = [...dialect.files].map(([file, { template }]) => ({ file, names: templateNames(template.nodes) }))
    return {
      all: new Set(files.flatMap(({ names }) => [...names.values])),
      conditions: new Set(files.flatMap(({ names }) => [...names.conditions])),
      messageLists: new Set(files.flatMap(({ names }) => [...names.messageLists])),
      byFile: new Map(files.map(({ file, names }) => [file, names.values])),
    }
  })
}

const ofDialect = memoKind<Dialect, DialectNames>()

/** The names in a template, also in branches and placeholders. */
interface TemplateNames {
  /** Names of `${slot}` and of `${messages(list)}`. */
  readonly slots: ReadonlySet<string>
  readonly conditions: ReadonlySet<string>
  readonly messageLists: ReadonlySet<string>
  /** Names of `${slot}` and of conditions. */
  readonly values: ReadonlySet<string>
  readonly all: ReadonlySet<string>
  /** True if it makes messages. */
  readonly makesMessages: boolean
}

/** The names in a template. They are found once for each template. */
export function templateNames(nodes: readonly TemplateNode[]): TemplateNames {
  return authored.made(ofTemplate, nodes, () => {
    const found = { texts: new Set<string>(), conditions: new Set<string>(), messageLists: new Set<string>() }
    collect(nodes, found)
    const { texts, conditions, messageLists } = found
    const [slots, values] = [texts.union(messageLists), texts.union(conditions)]
    const makesMessages = messageLists.size > 0 || opensMessage(nodes)
    return { slots, conditions, messageLists, values, all: slots.union(conditions), makesMessages }
  })
}

const ofTemplate = memoKind<readonly TemplateNode[], TemplateNames>()

function collect(
  nodes: readonly TemplateNode[],
  into: Readonly<Record<"texts" | "conditions" | "messageLists", Set<string>>>,
): void {
  for (const node of nodes) {
    if (node.type === "messages") into.messageLists.add(node.name)
    if (node.type === "slot") {
      into.texts.add(node.name)
      collect(node.placeholder ?? [], into)
    }
    if (node.type !== "conditional") continue
    into.conditions.add(node.name)
    collect(node.then, into)
    collect(node.otherwise, into)
  }
}
