import { describe, expect, test } from "vitest"
import { emotionBracket, emotionPipe } from "../../../src/reply/output/formats.ts"
import { inShort, readParts, stageOf, unsoundCutting } from "./parts.ts"

interface Case {
  readonly name: string
  readonly text: string
  /** As {@link inShort} has it; `undefined` for broken output: a warning and the text as it is. */
  readonly read?: readonly string[]
  readonly emotions?: readonly string[]
}

const pipeCases: readonly Case[] = [
  { name: "an emotion, then text", text: "[开心] ||| 你好", read: ["{开心}", "你好"] },
  { name: "no blanks", text: "[开心]|||你好", read: ["{开心}", "你好"] },
  { name: "blanks within and around", text: " [ happy ]  |||  hi ", read: ["{happy}", "hi "] },
  { name: "full-width marks", text: "［开心］｜｜｜你好", read: ["{开心}", "你好"] },
  { name: "lenticular brackets and mixed bars", text: "【开心】|｜| 你好", read: ["{开心}", "你好"] },
  { name: "a bold name", text: "**[开心]** ||| 你好", read: ["{开心}", "你好"] },
  { name: "a bold tag", text: "**[开心] |||** 你好", read: ["{开心}", "你好"] },
  { name: "a bold answer", text: "**[开心] ||| 你好**", read: ["{开心}", "**你好**"] },
  { name: "bold words after a tag", text: "[开心] ||| **你好**", read: ["{开心}", "**你好**"] },
  { name: "an emoji", text: "[😊] ||| 你好😊", read: ["{😊}", "你好😊"] },
  { name: "an emoticon", text: "[:)] ||| hi", read: ["{:)}", "hi"] },
  { name: "a number for an emotion", text: "[1] ||| hi", read: ["{1}", "hi"] },
  { name: "several words", text: "[a bit shy] ||| hi", read: ["{a bit shy}", "hi"] },
  { name: "a tag alone", text: "[开心] |||", read: ["{开心}"] },
  { name: "a tag alone with blanks", text: "[开心] ||| \n", read: ["{开心}"] },
  { name: "a fourth bar as text", text: "[a] |||| b", read: ["{a}", "| b"] },
  { name: "a tag for each line", text: "[a] ||| b\n[c] ||| d", read: ["{a}", "b\n", "{c}", "d"] },
  { name: "a tag for each line, CRLF", text: "[a] ||| b\r\n[c] |||\r\nd", read: ["{a}", "b\r\n", "{c}", "d"] },
  { name: "a tag on a line of its own", text: "[a] |||\n\nb", read: ["{a}", "\nb"] },
  { name: "several lines under one tag", text: "[a] ||| b\nc\n\nd", read: ["{a}", "b\nc\n\nd"] },
  { name: "an indented tag", text: "[a] ||| b\n  [c] ||| d", read: ["{a}", "b\n", "{c}", "d"] },
  { name: "tags in a row", text: "[a] ||| [b] ||| c", read: ["{a}", "{b}", "c"] },
  { name: "a tag after @br", text: "[a] ||| b @br[c] ||| d", read: ["{a}", "b @br", "{c}", "d"] },
  { name: "a tag after @br on its line", text: "[a]|||b\n@br\n[c]|||d", read: ["{a}", "b\n@br\n", "{c}", "d"] },
  { name: "no tag after what only looks like @br", text: "[a]|||b @bro[c]|||d", read: ["{a}", "b @bro[c]|||d"] },
  { name: "no tag after @br with its end twice", text: "[a]|||b @brbr[c]|||d", read: ["{a}", "b @brbr[c]|||d"] },
  { name: "no tag after an @br that a word touches", text: "[a]|||b@br[c]|||d", read: ["{a}", "b@br[c]|||d"] },
  { name: "no tag within a line", text: "[a] ||| b [c] ||| d", read: ["{a}", "b [c] ||| d"] },
  { name: "a table after a tag", text: "[a] ||| b\n| c | d |", read: ["{a}", "b\n| c | d |"] },
  { name: "brackets in later lines", text: "[a] ||| b\n[1] c\n[d](e)", read: ["{a}", "b\n[1] c\n[d](e)"] },
  { name: "line breaks before a tag", text: "\n\n[a] ||| b", read: ["\n\n", "{a}", "b"] },
  { name: "seventeen blanks before a tag", text: `${" ".repeat(17)}[a]|||b`, read: [" ", "{a}", "b"] },
  { name: "words first, a tag later", text: "ok:\n[a] ||| b", read: ["!", "ok:\n", "{a}", "b"] },
  { name: "a broken tag later", text: "[a] ||| b\n[c] || d", read: ["{a}", "b\n", "!", "[c] || d"] },
  { name: "an empty tag later", text: "[a] ||| b\n[] ||| c", read: ["{a}", "b\n", "!", "[] ||| c"] },
  { name: "a tag after two marks", text: "[a] ||| 好@br@br[c] ||| d", read: ["{a}", "好@br@br", "{c}", "d"] },
  { name: "one warning for two broken tags", text: "[a] | b\n[c] || d", read: ["!", "[a] | b\n[c] || d"] },
  { name: "nothing", text: "", read: [] },
  { name: "blanks alone", text: " \n\t\n", read: [" \n\t\n"] },
  { name: "no tag", text: "你好" },
  { name: "two bars", text: "[开心] || 你好" },
  { name: "no bars", text: "[开心] 你好" },
  { name: "bars apart", text: "[开心] | | | 你好" },
  { name: "no closing bracket", text: "[开心 ||| 你好" },
  { name: "no opening bracket", text: "开心] ||| 你好" },
  { name: "no bracket", text: "开心 ||| 你好" },
  { name: "an empty tag", text: "[] ||| 你好" },
  { name: "a blank tag", text: "[ ] ||| 你好" },
  { name: "a tag over two lines", text: "[开\n心] ||| 你好" },
  { name: "bars on the next line", text: "[开心]\n||| 你好" },
  { name: "a tag inside a bracket", text: "[[开心] ||| 你好" },
  { name: "an unfinished name", text: "[开心" },
  { name: "unfinished bars", text: "[开心] ||" },
  { name: "asterisks alone", text: "**" },
  { name: "a name of 33 characters", text: `[${"a".repeat(33)}] ||| b` },
  { name: "the other format", text: "[开心] 你好 |||" },
]

const bracketCases: readonly Case[] = [
  { name: "an emotion, then text", text: "[开心] 你好", read: ["{开心}", "你好"] },
  { name: "no blank", text: "[开心]你好", read: ["{开心}", "你好"] },
  { name: "full-width brackets", text: "【开心】你好", read: ["{开心}", "你好"] },
  { name: "a bold tag", text: "**[开心]** 你好", read: ["{开心}", "你好"] },
  { name: "a bold answer", text: "**[开心] 你好**", read: ["{开心}", "**你好**"] },
  { name: "asterisks that do not match", text: "**[开心]* 你好", read: ["{开心}", "*** 你好"] },
  { name: "an emoji", text: "[😊]你好", read: ["{😊}", "你好"] },
  { name: "a tag alone", text: "[开心]", read: ["{开心}"] },
  { name: "a tag on a line of its own", text: "[开心]\r\n你好", read: ["{开心}", "你好"] },
  { name: "a tag on a line of its own, ended by CR alone", text: "[开心]\r你好", read: ["{开心}", "你好"] },
  { name: "brackets after the tag", text: "[a] b [c] d\n[e] f", read: ["{a}", "b [c] d\n[e] f"] },
  { name: "a second bracket", text: "[a] [b] c", read: ["{a}", "[b] c"] },
  { name: "a tag for each bubble", text: "[a] b\n@br\n[c] 好@br [e]", read: ["{a}", "b\n@br\n", "{c}", "好@br", "{e}"] },
  { name: "a tag after words and @br", text: "a @br [c] d", read: ["!", "a @br", "{c}", "d"] },
  {
    name: "listed emotions at each line",
    text: "[a] b\n[c] d\n[e] f",
    read: ["{a}", "b\n", "{c}", "d\n[e] f"],
    emotions: ["a", "c"],
  },
  { name: "a listed emotion below a tag", text: "[a]\n[c] d", read: ["{a}", "{c}", "d"], emotions: ["a", "c"] },
  { name: "a full-width bracket before a parenthesis", text: "【a】(b)", read: ["{a}", "(b)"] },
  { name: "a listed emotion before a parenthesis", text: "[a](smiles) b", read: ["{a}", "(smiles) b"], emotions: ["a"] },
  { name: "a link", text: "[docs](https://x.y) 你好" },
  { name: "a footnote", text: "[1] 你好" },
  { name: "a time of day", text: "[12:30] 你好" },
  { name: "a checkbox", text: "[ ] 你好" },
  { name: "no tag", text: "你好 [开心]" },
  { name: "an unfinished tag", text: "[开心" },
]

const suites = [
  { format: emotionPipe, cases: pipeCases },
  { format: emotionBracket, cases: bracketCases },
]

describe.each(suites)("the format $format.name", ({ format, cases }) => {
  test.each(cases)("L4 reads $name", ({ text, read, emotions }) => {
    expect(inShort(readParts([text], stageOf(format, emotions)))).toEqual(read ?? ["!", text])
  })

  test.each(cases)("L4 reads $name the same, however it is cut", ({ text, emotions }) => {
    const places = text.length <= 32 ? 3 : 2
    expect(unsoundCutting(text, places, stageOf(format, emotions))).toBeUndefined()
  })
})

describe("a list of emotions", () => {
  test("L4: one that is not listed is told all the same, with one warning that names it", () => {
    const parts = readParts(["[a] ||| 1\n[x] ||| 2\n[y] ||| 3"], stageOf(emotionPipe, ["a", "b"]))
    expect(inShort(parts)).toEqual(["{a}", "1\n", "!", "{x}", "2\n", "{y}", "3"])
    expect(parts[2]).toEqual({ type: "warning", message: 'expected one of the emotions a, b; found "x".' })
  })

  test("L4: a listed one is told as the list writes it, whatever its case and width", () => {
    expect(inShort(readParts(["[ HAPPY ] ||| a\n[ｓａｄ] ||| b"], stageOf(emotionPipe, ["happy", "Sad"])))).toEqual([
      "{happy}",
      "a\n",
      "{Sad}",
      "b",
    ])
  })
})
