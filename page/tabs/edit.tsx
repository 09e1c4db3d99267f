import { useEffect, useMemo, useRef, useState } from "preact/hooks"
import type { AgentComparison } from "../../src/apps/server/inspector/compare/compare-agents.ts"
import type { PromptText, SourceFile } from "../../src/profile/prompt-files.ts"
import { listFiles, open, type Problem, readText, saveText, sendTo, undoSave } from "../edit/client.ts"
import { Editor } from "../edit/editor.tsx"
import { EffectView } from "../edit/effect.tsx"
import { Replays } from "../edit/replays.tsx"
import type { TabProps } from "../tab.ts"
import type { Words } from "../words.ts"

/** The files of the profile with what an edit does to the turn's request. */
export function Edit(props: TabProps) {
  const { record, words } = props
  const [files, setFiles] = useState<readonly SourceFile[]>([])
  const [path, setPath] = useState(open.path)
  const [problem, setProblem] = useState<Problem>()
  const used = useMemo(() => sourcesOf(record), [record])
  const [note, setNote] = useState("")
  const choose = (next: string | undefined): void => {
    Object.assign(open, { path: next, line: undefined })
    setPath(next)
  }
  const list = async (chosen: string | undefined): Promise<void> => {
    const found = await listFiles()
    if (!found.ok) return setProblem(found.problem)
    setProblem(undefined)
    const known = found.value.files
    setFiles(known)
    const has = (name: string | undefined) => known.some((file) => file.path === name)
    if (!has(chosen)) choose((known.find((file) => file.kind === "persona" && used.has(file.path)) ?? known[0])?.path)
    else if (chosen !== open.path) choose(chosen)
  }
  useEffect(() => void list(open.path), [])
  const file = files.find((each) => each.path === path)
  const group = (isUsed: boolean) => files.filter((each) => used.has(each.path) === isUsed)
  return (
    <div class="edit">
      {problem && <pre role="alert">{problem.message}</pre>}
      <label>
        {words.file}{" "}
        <select
          value={path ?? ""}
          onChange={(event) => {
            setNote("")
            choose(event.currentTarget.value)
          }}
        >
          {([true, false] as const).map((isUsed) => (
            <optgroup key={String(isUsed)} label={isUsed ? words.inRequest : words.otherFiles}>
              {group(isUsed).map((each) => (
                <option key={each.path} value={each.path}>
                  {open.drafts.has(each.path) ? "● " : ""}
                  {each.path} · {each.kind}
                </option>
              ))}
            </optgroup>
          ))}
        </select>
      </label>
      {file && <FileView key={file.path} {...props} file={file} note={note} onNote={setNote} onWritten={list} />}
    </div>
  )
}

/** The files behind the parts of a turn's requests. */
function sourcesOf({ requests }: TabProps["record"]): ReadonlySet<string> {
  const spans = requests.flatMap(({ messages }) => messages).flatMap((message) => message.spans)
  return new Set(spans.flatMap(({ source }) => source?.file ?? []))
}

interface FileViewProps extends TabProps {
  readonly file: SourceFile
  /** The outcome of the last save or undo. */
  readonly note: string
  readonly onNote: (note: string) => void
  /** Gets the file that the text comes from now. */
  readonly onWritten: (path: string) => Promise<void>
}

function FileView({ file, record, words, note, onNote, onWritten }: FileViewProps) {
  const [read, setRead] = useState<PromptText>()
  const [text, setText] = useState("")
  const [problem, setProblem] = useState<Problem>()
  const [conflict, setConflict] = useState<PromptText>()
  const isChanged = read !== undefined && text !== shown(read.text)
  const effect = useEdited(record.id, file.path, { text: read && asOnDisk(text, read), isChanged })
  const load = async (): Promise<void> => {
    const found = await readText(file.path)
    if (!found.ok) return setProblem(found.problem)
    setRead(found.value)
    setText(open.drafts.get(file.path) ?? shown(found.value.text))
  }
  useEffect(() => void load(), [])
  const type = (next: string): void => {
    setText(next)
    onNote("")
    if (read && next !== shown(read.text)) open.drafts.set(file.path, next)
    else open.drafts.delete(file.path)
  }
  /** Words that were typed while the file was written stay, as a draft of the file that holds the text now. */
  const written = async (note: string, path: string): Promise<void> => {
    const draft = open.drafts.get(file.path)
    open.drafts.delete(file.path)
    if (draft !== undefined && draft !== text) open.drafts.set(path, draft)
    setConflict(undefined)
    setProblem(undefined)
    if (path === file.path) await load()
    onNote(note)
    await onWritten(path)
  }
  const save = async (base: PromptText): Promise<void> => {
    const saved = await saveText(file.path, asOnDisk(text, base), base.hash)
    if (saved.ok)
      return written(`${words.savedAs(saved.value.written.join(", "))} ${useOf(saved.value, words)}`, saved.value.path)
    setProblem(saved.problem)
    if (saved.status !== 409) return
    const now = await readText(file.path)
    if (now.ok) setConflict(now.value)
  }
  const undo = async (): Promise<void> => {
    const undone = await undoSave(file.path)
    if (undone.ok)
      await written(`${words.undone(undone.value.written.join(", "))} ${useOf(undone.value, words)}`, undone.value.path)
    else setProblem(undone.problem)
  }
  const shownProblem = problem ?? effect.problem
  return (
    <>
      <p class="quiet">
        {file.refusal ?? (file.isShipped ? words.savesCopy(file.savedAs ?? "") : words.savesHere)}
        {read && ` · ${words.lineCount(text.split("\n").length)}`}
      </p>
      {read && <Editor {...{ text, line: open.line, problem: shownProblem, words }} isReadOnly={false} onText={type} />}
      <p class="buttons">
        <button
          type="button"
          disabled={!read || !isChanged || file.savedAs === undefined || effect.problem !== undefined}
          onClick={() => read && void save(read)}
        >
          {words.save}
        </button>
        <button type="button" disabled={!isChanged} onClick={() => read && type(shown(read.text))}>
          {words.discard}
        </button>
        <button type="button" disabled={!read?.canUndo || isChanged} onClick={() => void undo()}>
          {words.undoSave}
        </button>
        <span role="status">{note || (isChanged ? words.unsaved : "")}</span>
      </p>
      {shownProblem && (
        <pre role="alert" id="edit-problem">
          {shownProblem.message}
        </pre>
      )}
      {conflict && (
        <section class="conflict" aria-label={words.conflict}>
          <p>{words.conflict}</p>
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached with keys */}
          <pre tabIndex={0}>{conflict.text}</pre>
          <p class="buttons">
            <button
              type="button"
              onClick={() => {
                open.drafts.delete(file.path)
                setRead(conflict)
                setText(shown(conflict.text))
                setConflict(undefined)
                setProblem(undefined)
              }}
            >
              {words.takeDisk}
            </button>
            <button type="button" onClick={() => void save(conflict)}>
              {words.saveOver}
            </button>
          </p>
        </section>
      )}
      <h2>{words.effect}</h2>
      {effect.value ? (
        <EffectView effect={effect.value} words={words} />
      ) : (
        <p class="quiet">{effect.refusal ?? words.effectFirst}</p>
      )}
      <Replays record={record} words={words} files={isChanged && read ? { [file.path]: asOnDisk(text, read) } : undefined} />
    </>
  )
}

function useOf({ isLive }: { readonly isLive: boolean }, words: Words): string {
  return isLive ? words.isLive : words.needsRestart
}

interface Edited {
  readonly value?: AgentComparison | undefined
  readonly problem?: Problem | undefined
  /** The reason why the effect on this turn cannot be told. */
  readonly refusal?: string
}

/** The effect of a text on a turn. The newest text wins; an answer to an older one is left. */
function useEdited(
  turn: string,
  path: string,
  { text, isChanged }: { readonly text: string | undefined; readonly isChanged: boolean },
) {
  const [found, setFound] = useState<Edited>({})
  const asked = useRef<AbortController>(undefined)
  useEffect(() => {
    asked.current?.abort()
    if (text === undefined || !isChanged) return setFound({})
    const own = new AbortController()
    asked.current = own
    const timer = setTimeout(async () => {
      const edited = { turn, right: { files: { [path]: text } } }
      const outcome = await sendTo<AgentComparison>("compare", edited, own.signal).catch(() => undefined)
      if (!outcome || own.signal.aborted) return
      // The last effect stays while the text is wrong.
      if (outcome.ok) setFound({ value: outcome.value })
      else if (outcome.status === 422) setFound((known) => ({ value: known.value, problem: outcome.problem }))
      // Nothing is wrong with the text: the turn cannot be assembled again.
      else setFound({ refusal: outcome.problem.message })
    }, 200)
    return () => {
      clearTimeout(timer)
      own.abort()
    }
  }, [turn, path, text, isChanged])
  return found
}

/** A text as a browser's field holds it. */
function shown(text: string): string {
  return text.replace(/\r\n?/gu, "\n")
}

/** A text of the field with the line ends that the file has. */
function asOnDisk(text: string, { text: read }: PromptText): string {
  return read.includes("\r\n") ? text.replaceAll("\n", "\r\n") : text
}
