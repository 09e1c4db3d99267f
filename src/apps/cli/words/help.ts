import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import type { AddHelpTextContext, Help, HelpConfiguration } from "commander"
import { displayWidth } from "../../../core/display-width.ts"
import { shippedTemplatesFolder } from "../../../node/shipped-files.ts"
import { wrapColumns } from "../../../trace/table.ts"
import { defaultModel } from "../options.ts"
import type { Translate } from "./translate.ts"

/** Help in the language of its reader, wrapped to the columns that its characters take. */
export function helpIn(translate: Translate): HelpConfiguration {
  return { styleTitle: translate, styleDescriptionText: translate, displayWidth, boxWrap: wrapColumns, minWidthToWrap: 20 }
}

/**
 * The text behind a command's help, for `addHelpText`: the page of its name in `templates/help`, if there is one. It is written as paragraphs
 * and, two spaces in, items: a term, two spaces or more, and what it means, which may go on further in. Paragraphs are wrapped and terms
 * aligned. `{defaultModel}` in it is filled in.
 */
export function helpPage({ command, error }: AddHelpTextContext): string {
  const page = join(shippedTemplatesFolder, "help", `${command.name()}.txt`)
  if (!existsSync(page)) return ""
  const { getOutHelpWidth, getErrHelpWidth } = command.configureOutput()
  const helpWidth = (error ? getErrHelpWidth : getOutHelpWidth)?.() ?? 80
  const helper = command.createHelp()
  helper.prepareContext({ error, helpWidth, outputHasColors: false })
  const text = readFileSync(page, "utf8").trimEnd().replace("{defaultModel}", defaultModel)
  return `\n${text
    .split(/\r?\n\r?\n/)
    .map((block) => printBlock(block, helper, helpWidth))
    .join("\n\n")}`
}

function printBlock(block: string, helper: Help, width: number): string {
  const lines = joinedLines(block)
  const described = lines.filter(({ meaning }) => meaning !== undefined)
  const termWidth = Math.max(0, ...described.map(({ term }) => displayWidth(term)))
  return lines
    .map(({ term, meaning, item }) => {
      if (!item) return helper.boxWrap(helper.styleDescriptionText(term), width)
      const words = helper.styleDescriptionText(term)
      // A sentence that is not a term.
      if (meaning === undefined && term.endsWith(".")) return helper.boxWrap(words, width - 2).replace(/^/gm, "  ")
      return helper.formatItem(words, termWidth, meaning === undefined ? "" : helper.styleDescriptionText(meaning), helper)
    })
    .join("\n")
}

interface HelpLine {
  /** A paragraph, or the term of an item. */
  readonly term: string
  readonly meaning?: string | undefined
  readonly item: boolean
}

/** Joins what is written over several lines. */
function joinedLines(block: string): HelpLine[] {
  const joined: HelpLine[] = []
  for (const line of block.split("\n")) {
    const last = joined.at(-1)
    const text = line.trim()
    const indent = line.length - line.trimStart().length
    if (indent > 2 && last?.meaning !== undefined) joined.splice(-1, 1, { ...last, meaning: `${last.meaning} ${text}` })
    else if (indent > 0) joined.push(itemOf(text))
    else if (last && !last.item && last.term !== "") joined.splice(-1, 1, { ...last, term: `${last.term} ${text}` })
    else joined.push({ term: text, item: false })
  }
  return joined
}

function itemOf(text: string): HelpLine {
  const [, term = text, meaning] = /^(.+?) {2,}(\S.*)$/.exec(text) ?? []
  return { term, item: true, meaning }
}
