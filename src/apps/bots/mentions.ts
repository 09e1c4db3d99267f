import { checkShape, checkType } from "../../core/check-options.ts"
import { findNames } from "../../reply/mentions.ts"

/** A person whom messages of a chat can name. */
export interface ChatMember {
  /** The platform's id. */
  readonly id: string
  /** The name that prompts and answers show. */
  readonly name: string
}

/**
 * Replaces a platform's marks for people by `@name`, as prompts show them, and returns the ids in their order. `pattern` is global and
 * its first group is the id, such as `/<@!?(\d+)>/g` for Discord. A mark with an unknown id stays as it is.
 */
export function readMentions(
  text: string,
  members: Iterable<ChatMember>,
  pattern: RegExp,
): { readonly text: string; readonly ids: readonly string[] } {
  checkType("the text of readMentions", text, "string")
  const names = new Map(listed("readMentions", members).map(({ id, name }) => [id, name]))
  const ids: string[] = []
  const shown = text.replace(pattern, (mark: string, id: unknown) => {
    const name = typeof id === "string" ? names.get(id) : undefined
    if (name === undefined) return mark
    ids.push(String(id))
    return `@${name}`
  })
  return { text: shown, ids }
}

/**
 * Replaces `@name` by the platform's mark for that person. The longest name counts. A name that two people have stays as it is, and so
 * does one within a word, as in `mail@fay.com`.
 */
export function printMentions(text: string, members: Iterable<ChatMember>, print: (member: ChatMember) => string): string {
  checkType("the text of printMentions", text, "string")
  const byName = Map.groupBy(listed("printMentions", members), ({ name }) => name)
  let shown = ""
  let end = 0
  for (const found of findNames(text, byName.keys())) {
    const [member, another] = byName.get(found.name) ?? []
    if (member === undefined || another !== undefined) continue
    shown += text.slice(end, found.start) + print(member)
    end = found.end
  }
  return shown + text.slice(end)
}

function listed(of: string, members: Iterable<ChatMember>): readonly ChatMember[] {
  checkType(`the members of ${of}`, members, "iterable")
  const list = [...members]
  checkShape(`the members of ${of}`, list, [{ id: "string", name: "string" }])
  return list
}
