import type { Reader } from "../../../core/reader.ts"
import { formatFileReference } from "../../../prompt/encode/file-reference.ts"
import { terminalLine, terminalText } from "../../../prompt/encode/terminal-text.ts"
import { printArguments } from "../../../prompt/tools/call-arguments.ts"
import type { ToolRun } from "../../../prompt/tools/tool.ts"
import { printTrace } from "../../../trace/print-trace.ts"
import type { TurnEvent, TurnResult } from "../../../trace/turn-event.ts"
import { columnsOf, type Screen } from "../io.ts"
import { printPrompt } from "../print-prompt.ts"
import type { ChatWords } from "../words/command-words.ts"
import type { Translate } from "../words/translate.ts"
import { createRequestQueue, type ExtraOutput, type TurnPrinter } from "./turn-printer.ts"
import type { WarningTally } from "./warning-tally.ts"

/** Settings of {@link createEventPrinter}. */
interface EventPrinterOptions {
  readonly words: ChatWords
  readonly show: readonly ExtraOutput[]
  /** Printed before each answer. */
  readonly label: string | undefined
  /** The agent's colour, in which its name and its emotions are shown (R29). */
  readonly colour: string | undefined
  readonly warnings: WarningTally
  readonly translate: Translate
}

/** Shows turns to a person: the answer as it streams, and a line for every prestart, tool run and warning. */
export function createEventPrinter(
  screen: Screen,
  { words, show, label, colour, warnings, translate }: EventPrinterOptions,
): TurnPrinter {
  const requests = createRequestQueue(({ step, prompt }, assembly) => {
    if (!show.includes("prompt")) return
    screen.note(`\n${screen.paint("bold", `${step}. ${prompt}`)}\n${printPrompt(assembly, screen.paint, translate)}\n`)
  })
  const aside = (text: string): void => screen.note(screen.paint("dim", text))
  const tint = (text: string): string => (colour === undefined ? text : screen.paint(`#${colour.slice(1)}`, text))
  const answer = createAnswerPrinter(screen, label && screen.paint("bold", `${tint(`${terminalLine(label)}:`)} `))
  let thoughtIn: number | undefined
  return {
    request: requests.request,
    event(event) {
      requests.before(event)
      switch (event.type) {
        case "turn-start":
          answer.begin()
          thoughtIn = undefined
          break
        case "thinking-delta":
          if (thoughtIn !== event.step) aside(`… ${words.thinking}`)
          thoughtIn = event.step
          break
        case "emotion":
          aside(tint(`~ ${terminalLine(event.emotion)}`))
          break
        case "text-delta":
          answer.push(event.delta)
          break
        case "turn-end":
          answer.end()
          outcome(event.result, { screen, words, translate })
          if (show.includes("trace"))
            screen.note(`\n${terminalText(printTrace(event.result.trace, columnsOf(screen.aside), translate))}\n`)
          break
        case "warning":
          // The agent's onWarning has told of a document.
          if (event.warning.kind === "document") break
          for (const message of warnings.first(event.warning.message)) aside(`! ${words.warning}: ${terminalLine(message)}`)
          break
        default:
          for (const line of besides(event, words)) aside(line)
      }
    },
  }
}

/** Prints answers as they stream, each after the label. */
function createAnswerPrinter(screen: Screen, label: string | undefined) {
  let reader = createTerminalReader()
  let labelled = false
  const print = (parts: readonly string[]): void => {
    for (const part of parts) {
      if (!labelled && label !== undefined) screen.answer(label)
      labelled = true
      screen.answer(part)
    }
  }
  return {
    begin(): void {
      reader = createTerminalReader()
      labelled = false
    },
    push: (text: string): void => print(reader.push(text)),
    end(): void {
      print(reader.end())
      screen.endLine()
    },
  }
}

/** The lines for an event that is no part of the answer. */
function besides(event: TurnEvent, words: ChatWords): string[] {
  switch (event.type) {
    case "prestart-start":
      return [`→ ${words.prestart} ${callText(event)}`]
    case "tool-start":
      return [`→ ${callText(event)}`]
    case "prestart-end":
    case "tool-end":
      return [runText(event.run, words)]
    case "attachment":
      return [
        `+ ${terminalLine(formatFileReference(event.attachment))} (${event.attachment.mediaType}, ${event.attachment.bytes} B)`,
      ]
    case "empty-reply":
      return [`(${words.silence})`]
    default:
      return []
  }
}

function callText({ tool, args }: { readonly tool: string; readonly args: Readonly<Record<string, unknown>> }): string {
  return `${terminalLine(tool)}(${terminalLine(printArguments(args))})`
}

function runText({ tool, status, result, repeatOf, durationMs }: ToolRun, words: ChatWords): string {
  const took = repeatOf === undefined ? `${Math.round(durationMs)} ms` : words.repeated
  return status === "failed"
    ? `✗ ${terminalLine(tool)} ${words.failed}: ${terminalLine(result.trim())} (${took})`
    : `✓ ${terminalLine(tool)} = ${terminalLine(result.trim())} (${took})`
}

/** Says how the turn ended, if not with a complete answer. */
function outcome(
  result: TurnResult,
  { screen, words, translate }: Pick<EventPrinterOptions, "words" | "translate"> & { readonly screen: Screen },
): void {
  if (!result.ok) {
    if (result.error.code === "aborted") screen.note(screen.paint("yellow", words.aborted))
    else screen.complain(result.error.code === "session-conflict" ? words.elsewhere : translate(result.error.message))
    return
  }
  const notes = {
    finish: undefined,
    truncated: words.truncated,
    "max-steps": words.maxSteps,
    "repeated-call": words.repeatedCall,
    // No caller of the chat stops a turn.
    stopped: undefined,
    // Its words are answered with the next ones.
    joined: undefined,
    "awaiting-approval": words.awaitingApproval(terminalLine((result.approvals ?? []).map(({ summary }) => summary).join(" · "))),
  }
  const note = notes[result.stopReason]
  if (note !== undefined) screen.note(screen.paint("yellow", `(${note})`))
}

/** The end of a text that depends on the next character: the first half of `\r\n`, or an incomplete flag. */
const unsettled = /(?:\r|\u{1f3f4}[\u{e0000}-\u{e007f}]{0,6})$/u

/** {@link terminalText} for a stream of whole characters. */
export function createTerminalReader(): Reader<string, string> {
  let held = ""
  const settle = (text: string) => (text === "" ? [] : [terminalText(text)].filter((part) => part !== ""))
  return {
    push(chunk) {
      const text = held + chunk
      held = unsettled.exec(text)?.[0] ?? ""
      return settle(text.slice(0, text.length - held.length))
    },
    end() {
      const rest = held
      held = ""
      return settle(rest)
    },
  }
}
