import { useEffect, useState } from "preact/hooks"
import type { RecordedSpan } from "../src/apps/server/inspector/turn-record.ts"
import { ask, type Info } from "./data.ts"
import { colourOf } from "./layout.ts"
import type { Words } from "./words.ts"

interface SpanInfoProps {
  readonly span: RecordedSpan | undefined
  /** Undefined in a file that was exported. */
  readonly info: Info | undefined
  readonly onEdit: ((file: string, line: number | undefined) => void) | undefined
  readonly words: Words
}

/** The origin of a part of a request, and its tokens if they are asked for. */
export function SpanInfo({ span, info, onEdit, words }: SpanInfoProps) {
  const [isOpen, setOpen] = useState(false)
  if (!span) return <p class="span-info">{words.hover}</p>
  const { key, part, trust, stability, tokens, priority, files, source } = span
  const facts: readonly (readonly [string, string])[] = [
    [words.part, part],
    [words.trust, trust],
    [words.stability, stability],
    [words.tokensShort, String(tokens)],
    ...(priority === undefined ? [] : [[words.priority, String(priority)] as const]),
    ...(files ? [["files", files.join(", ")] as const] : []),
  ]
  return (
    <div class="span-info">
      <p aria-live="polite">
        <strong class={`c${colourOf(key)}`}>{key || words.frame}</strong>
        {facts.map(([name, value]) => (
          <span key={name}>
            {" "}
            <span class="name">{name}</span> {value}
          </span>
        ))}
        <Source source={source} editor={info?.editor} words={words} />
      </p>
      {onEdit && source && (
        <button type="button" onClick={() => onEdit(source.file, source.line)}>
          {words.edit}
        </button>
      )}
      {info && (
        <button type="button" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          {words.showTokens}
        </button>
      )}
      {info && isOpen && <Tokens text={span.text} words={words} />}
    </div>
  )
}

interface SourceProps {
  readonly source: RecordedSpan["source"] | undefined
  readonly editor: string | undefined
  readonly words: Words
}

function Source({ source, editor, words }: SourceProps) {
  if (!source) return null
  const { file, line } = source
  const shown = `${file}${line === undefined ? "" : `:${line}`}`
  const isPath = /^(?:\/|[A-Za-z]:[\\/])/u.test(file)
  return (
    <span>
      {" "}
      <span class="name">{words.source}</span>{" "}
      {editor && isPath ? (
        <a href={editor.replace("{file}", encodeURI(file)).replace("{line}", String(line ?? 1))}>{shown}</a>
      ) : (
        shown
      )}
    </span>
  )
}

/** The most characters whose tokens the server looks for. */
const maxCharacters = 5_000

interface Borders {
  readonly exact: boolean
  readonly runs: readonly { readonly end: number; readonly tokens: number }[]
}

/** The tokens of a text, each in a box of its own. */
function Tokens({ text, words }: { readonly text: string; readonly words: Words }) {
  const [found, setFound] = useState<Borders>()
  const [problem, setProblem] = useState("")
  const shown = text.slice(0, maxCharacters).toWellFormed()
  useEffect(() => {
    let isLeft = false
    ask<Borders>("tokens", { text: shown }).then(
      (borders) => {
        if (isLeft) return
        setFound(borders)
        setProblem("")
      },
      (error: unknown) => isLeft || setProblem(error instanceof Error ? error.message : String(error)),
    )
    return () => {
      isLeft = true
    }
  }, [shown])
  if (problem) return <p role="alert">{problem}</p>
  if (!found) return null
  let start = 0
  return (
    <section class="tokens" aria-label={words.showTokens}>
      {!found.exact && `${words.about} `}
      {found.runs.map(({ end, tokens }) => {
        const own = shown.slice(start, end)
        const title = `${start}–${end} · ${words.tokens(String(tokens))}`
        start = end
        return (
          <span key={end} title={title}>
            {own}
          </span>
        )
      })}
      {text.length > maxCharacters && " …"}
    </section>
  )
}
