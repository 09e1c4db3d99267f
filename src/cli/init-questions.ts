import { createInterface, type Interface } from "node:readline"
import { chooseLocale } from "../node/locale.ts"
import type { CliContext } from "./context.ts"
import { nameFrom } from "./name-from.ts"
import type { CharacterLocale } from "./scaffold.ts"
import { initWords } from "./words-init.ts"

/** What is known of a new character. */
export interface CharacterAnswers {
  readonly folder?: string
  readonly name?: string
  readonly locale?: CharacterLocale | undefined
}

/** Asks a person at a terminal for what was not given; an empty answer takes the proposal. `undefined` when the person leaves. */
export async function askForCharacter(
  given: CharacterAnswers,
  { io, screen, interrupts }: CliContext,
): Promise<CharacterAnswers | undefined> {
  if (given.folder !== undefined && given.name !== undefined) return given
  const words = initWords(given.locale ?? chooseLocale({ env: io.env }))
  const editor = createInterface({ input: io.stdin, output: screen.aside, terminal: screen.aside.isTTY === true })
  editor.on("SIGINT", () => editor.close())
  void interrupts.left.then(() => editor.close())
  try {
    const folder = given.folder ?? (await ask(editor, words.folder))
    if (folder === undefined) return undefined
    if (given.name !== undefined) return { ...given, folder }
    const proposal = nameFrom(folder)
    const name = await ask(editor, words.name(proposal))
    return name === undefined ? undefined : { ...given, folder, name: name === "" ? proposal : name }
  } finally {
    editor.close()
  }
}

/** One line, trimmed; `undefined` when the editor was closed instead. */
function ask(editor: Interface, question: string): Promise<string | undefined> {
  return new Promise((resolve) => {
    const onClose = (): void => resolve(undefined)
    editor.once("close", onClose)
    editor.question(question, (line) => {
      editor.off("close", onClose)
      resolve(line.trim())
    })
  })
}
