import fc from "fast-check"
import { Tiktoken } from "tiktoken"
import cl100k from "tiktoken/encoders/cl100k_base.json" with { type: "json" }
import gpt2 from "tiktoken/encoders/gpt2.json" with { type: "json" }
import o200k from "tiktoken/encoders/o200k_base.json" with { type: "json" }
import { describe, expect, test } from "vitest"
import { loadClasses } from "../../../../src/adapters/tokenizers/tiktoken/char-class.ts"
import { type Split, splitCl100k, splitGpt2, splitO200k } from "../../../../src/adapters/tokenizers/tiktoken/split.ts"
import { runs } from "../../../support/size.ts"
import { piecesOfText, trickyTexts } from "./arbitrary-pieces.ts"

loadClasses()

/** The pieces that tiktoken cuts: with a vocabulary of every part of the text, each piece is one token. */
function piecesInTiktoken(text: string, pattern: string): string[] {
  const bytes = Buffer.from(text)
  const parts = new Set<string>()
  for (let from = 0; from < bytes.length; from++) {
    for (let to = from + 1; to <= bytes.length; to++) parts.add(bytes.subarray(from, to).toString("base64"))
  }
  const splitter = new Tiktoken(`! 0 ${[...parts].join(" ")}`, {}, pattern)
  const pieces = Array.from(splitter.encode_ordinary(text), (token) =>
    Buffer.from(splitter.decode_single_token_bytes(token)).toString(),
  )
  splitter.free()
  return pieces
}

function piecesOf(text: string, split: Split): string[] {
  const pieces: string[] = []
  for (let at = 0, end = 0; at < text.length; at = end) {
    end = split(text, at)
    pieces.push(text.slice(at, end))
  }
  return pieces
}

describe.each([
  ["gpt2", gpt2.pat_str, splitGpt2],
  ["cl100k", cl100k.pat_str, splitCl100k],
  ["o200k", o200k.pat_str, splitO200k],
] as const)("the scanner of %s", (_, pattern, split) => {
  test("cuts where its pattern looks ahead or back as tiktoken's regular expression does", () => {
    for (const text of trickyTexts) expect(piecesOf(text, split), JSON.stringify(text)).toEqual(piecesInTiktoken(text, pattern))
  })

  test("cuts any well-formed text as tiktoken's regular expression does", () => {
    fc.assert(
      fc.property(piecesOfText(8), (text) => {
        fc.pre(text.length < 60)
        expect(piecesOf(text, split)).toEqual(piecesInTiktoken(text, pattern))
      }),
      { numRuns: runs(150) },
    )
  })
})
