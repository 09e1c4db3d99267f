import type { OutputFormat, OutputPart } from "../../../src/reply/output/output-part.ts"

/** What a user writes to add a format: `<mood:NAME>` anywhere in the text is an event. */
export const moodFormat: OutputFormat = {
  name: "mood",
  createReader() {
    let held = ""
    return {
      push(delta) {
        const pieces = (held + delta).split(/(<mood:\w{1,20}>)/)
        const last = pieces.pop() ?? ""
        held = /<(m(o(o(d(:\w{0,20})?)?)?)?)?$/.exec(last)?.[0] ?? ""
        return [...pieces, last.slice(0, last.length - held.length)].map(read)
      },
      end: () => [read(held)],
    }
  },
}

function read(piece: string): OutputPart {
  const mood = /^<mood:(\w+)>$/.exec(piece)?.[1]
  return mood === undefined ? { type: "text", delta: piece } : { type: "event", name: "mood", data: mood }
}
