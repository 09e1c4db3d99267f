import { useState } from "preact/hooks"
import type { ShownChange, ShownDocument, ShownDocuments } from "../../src/apps/server/inspector/documents/documents.ts"
import { ask } from "../data.ts"
import { useAsked } from "../stored.ts"
import type { TabProps } from "../tab.ts"
import type { Words } from "../words.ts"

/** The agent's documents with their changes, which a person can take back. */
export function Documents({ record, info, words, news }: TabProps) {
  const { found, problem } = useAsked<ShownDocuments>("documents", news)
  const [undone, setUndone] = useState<ShownDocuments>()
  const [refused, setRefused] = useState("")
  const [from, setFrom] = useState(found)
  // What the inspector answers later is newer than the answer to an undo.
  if (from !== found) {
    setFrom(found)
    setUndone(undefined)
  }
  const shown = undone ?? found
  if (problem) return <p role="alert">{problem}</p>
  if (!shown) return null
  const isEmpty = shown.files.every(
    ({ hash, problem, changes }) => hash === undefined && problem === undefined && changes.length === 0,
  )
  const load = async (path: string, body?: unknown): Promise<void> => {
    try {
      setUndone(await ask<ShownDocuments>(path, body))
      setRefused("")
    } catch (error) {
      setRefused(error instanceof Error ? error.message : String(error))
    }
  }
  const authorOf = (by: string): string =>
    by === record.session.agent ? words.ownTool(info.agent) : by === "user" ? words.person : by
  return (
    <div class="documents">
      <button type="button" onClick={() => void load("documents")}>
        {words.reload}
      </button>
      {refused && (
        <p role="alert" class="failed">
          {refused}
        </p>
      )}
      {isEmpty && <p class="quiet">{words.noDocuments(shown.files.map(({ path }) => path).join(", "))}</p>}
      {(isEmpty ? [] : shown.files).map((file) => (
        <section key={file.path} aria-label={file.path}>
          <h2>
            {file.path} <small>{stateOf(file, words)}</small>
          </h2>
          {file.problem && <p class="failed">{file.problem}</p>}
          {file.isEdited && <p class="edited">{words.editedSince}</p>}
          {file.text && (
            <details>
              <summary>{words.textNow}</summary>
              <pre>
                {file.text}
                {(file.characters ?? 0) > file.text.length && "…"}
              </pre>
            </details>
          )}
          <ol class="changes">
            {file.changes.map((change, at) => (
              <li key={change.id}>
                <Change
                  {...{ change, words }}
                  by={authorOf(change.by)}
                  isOpen={at === 0}
                  onUndo={
                    shown.canUndo && !file.isEdited && file.problem === undefined
                      ? () => void load("documents/undo", { id: change.id, hash: file.hash ?? null })
                      : undefined
                  }
                  undoWords={at === 0 ? words.undo : words.undoSince(at + 1)}
                />
              </li>
            ))}
          </ol>
        </section>
      ))}
      {shown.more && <p class="quiet">{words.olderChanges}</p>}
    </div>
  )
}

function stateOf({ characters, problem, changes }: ShownDocument, words: Words): string {
  if (problem !== undefined) return ""
  const size = characters === undefined ? words.noFile : words.characters(characters.toLocaleString())
  return changes.length === 0 ? `${size} · ${words.noChanges}` : size
}

interface ChangeProps {
  readonly change: ShownChange
  readonly by: string
  readonly isOpen: boolean
  readonly words: Words
  readonly undoWords: string
  /** Undefined if it cannot be taken back now. */
  readonly onUndo: (() => void) | undefined
}

function Change({ change, by, isOpen, words, undoWords, onUndo }: ChangeProps) {
  const { id, kind, atMs, diff, undoes, isAfterEdit } = change
  return (
    <details open={isOpen}>
      <summary>
        <strong>{by}</strong> {undoes === undefined ? kindWord(kind, words) : words.tookBack(undoes)}{" "}
        <time dateTime={new Date(atMs).toISOString()}>{new Date(atMs).toLocaleString()}</time> <small>{words.change(id)}</small>
      </summary>
      {isAfterEdit && <p class="edited">{words.editedBefore}</p>}
      <Diff diff={diff} />
      {onUndo && (
        <button type="button" onClick={onUndo} aria-label={`${undoWords} (${words.change(id)})`}>
          {undoWords}
        </button>
      )}
    </details>
  )
}

function kindWord(kind: ShownChange["kind"], { wasCreated, wasChanged, wasRemoved }: Words): string {
  return { created: wasCreated, changed: wasChanged, removed: wasRemoved }[kind]
}

/** The lines of a unified diff, those that came and those that went in colours of their own. */
function Diff({ diff }: { readonly diff: string }) {
  return (
    <pre class="diff">
      {diff.split("\n").map((line, at) => (
        <span key={at} class={line.startsWith("+") ? "came" : line.startsWith("-") ? "went" : ""}>
          {line}
          {"\n"}
        </span>
      ))}
    </pre>
  )
}
