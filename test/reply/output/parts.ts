import {
  createTextStage,
  type OutputFormat,
  type OutputPart,
  type OutputReader,
  PartList,
} from "../../../src/reply/output/output-part.ts"
import { cutAt, everyCutting } from "../readings.ts"

export type MakeStage = () => OutputReader

/** A format's reader alone, as a stage. */
export function stageOf(format: OutputFormat, emotions?: readonly string[]): MakeStage {
  return () => createTextStage(() => format.createReader(emotions === undefined ? {} : { emotions }))
}

/** Joins neighbouring texts: all cuttings of one answer give the same list. */
export function joinTexts(parts: readonly OutputPart[]): OutputPart[] {
  const list = new PartList()
  for (const part of parts) list.add(part)
  return list.take()
}

/** What a stage makes of a text in pieces, neighbouring texts joined. */
export function readParts(pieces: readonly string[], make: MakeStage): OutputPart[] {
  const stage = make()
  return joinTexts([...pieces.flatMap((delta) => stage.push({ type: "text", delta })), ...stage.end()])
}

/** A reading in short: texts as they are, emotions as `{happy}`, `/` after a bubble, `!` for a warning, `~` for an empty reply. */
export function inShort(parts: readonly OutputPart[]): string[] {
  return parts.map((part) => {
    if (part.type === "text") return part.delta
    if (part.type === "emotion") return `{${part.emotion}}`
    if (part.type === "event") return `<${part.name} ${JSON.stringify(part.data)}>`
    return part.type === "bubble-end" ? "/" : part.type === "warning" ? "!" : "~"
  })
}

export function textOf(parts: readonly OutputPart[]): string {
  return parts.map((part) => (part.type === "text" ? part.delta : "")).join("")
}

/** The first cutting of `text` in up to `places` places that a stage reads differently. */
export function unsoundCutting(text: string, places: number, make: MakeStage): string | undefined {
  const whole = JSON.stringify(readParts([text], make))
  for (let count = 1; count <= places; count++) {
    for (const cuts of everyCutting(text, count)) {
      const reading = JSON.stringify(readParts(cutAt(text, cuts), make))
      if (reading !== whole) return `cut at ${cuts.join()}: ${reading}, whole: ${whole}`
    }
  }
  return undefined
}
