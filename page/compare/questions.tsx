import { useEffect, useRef, useState } from "preact/hooks"
import type { QuestionEstimate } from "../../src/apps/server/inspector/compare/questions/questions-route.ts"
import type { QuestionResult } from "../../src/apps/server/inspector/compare/questions/results.ts"
import type { Words } from "../words.ts"
import { AgentFields, type AgentsProps, estimateText } from "./agent-sides.tsx"
import { askQuestions, changesOf, refusalOf } from "./ask-agents.ts"
import { Results } from "./results.tsx"

/** The server reads no larger body. */
const maxBytes = 900_000

interface QuestionFile {
  readonly name: string
  readonly text: string
}

/** Both agents over the questions of a file: what it takes at once, and the answers when a person asks for them. */
export function Questions(props: AgentsProps) {
  const { agents, words } = props
  const [file, setFile] = useState<QuestionFile>()
  const [estimate, setEstimate] = useState<QuestionEstimate>()
  const [results, setResults] = useState<readonly QuestionResult[]>([])
  const [problem, setProblem] = useState("")
  const [state, setState] = useState<"none" | "running" | "stopped" | "done">("none")
  const leaving = useRef(new AbortController())
  const body = file && JSON.stringify({ text: file.text, ...changesOf(agents) })
  useEffect(() => {
    setEstimate(undefined)
    setResults([])
    setState("none")
    if (body === undefined) return
    const own = new AbortController()
    leaving.current = own
    const timer = setTimeout(
      () =>
        estimateOf(body, own.signal, words).then(
          (found) => {
            setEstimate(found)
            setProblem("")
          },
          (error: unknown) => own.signal.aborted || setProblem(wordsOf(error)),
        ),
      300,
    )
    return () => {
      clearTimeout(timer)
      leaving.current.abort()
    }
  }, [body, words])
  const run = async (): Promise<void> => {
    if (body === undefined) return
    const own = new AbortController()
    leaving.current = own
    setState("running")
    setResults([])
    setProblem("")
    try {
      for await (const event of askQuestions(body, own.signal, words))
        if (event.type === "result") setResults((known) => [...known, event.result])
      setState("done")
    } catch (error) {
      if (leaving.current === own) setState("stopped")
      if (!own.signal.aborted) setProblem(wordsOf(error))
    }
  }
  const choose = async (chosen: File | undefined): Promise<void> => {
    setFile(undefined)
    if (!chosen) return
    if (chosen.size > maxBytes) return setProblem(words.fileTooLarge(chosen.size.toLocaleString(), maxBytes.toLocaleString()))
    setProblem("")
    setFile({ name: chosen.name, text: await chosen.text() })
  }
  return (
    <>
      <label class="asked">
        {words.questionFile}{" "}
        <input type="file" accept=".txt,.jsonl,.ndjson" onChange={(event) => void choose(event.currentTarget.files?.[0])} />
      </label>
      <p class="quiet">{words.fileForm}</p>
      <AgentFields {...props} />
      {problem && (
        <p role="alert" class="lines">
          {problem}
        </p>
      )}
      {file && estimate && (
        <RunLine {...{ estimate, results, state, words }} onRun={() => void run()} onStop={() => leaving.current.abort()} />
      )}
      {file && results.length > 0 && <Results name={file.name} results={results} words={words} />}
    </>
  )
}

interface RunLineProps {
  readonly estimate: QuestionEstimate
  readonly results: readonly QuestionResult[]
  readonly state: "none" | "running" | "stopped" | "done"
  readonly words: Words
  readonly onRun: () => void
  readonly onStop: () => void
}

/** The cost of the questions, the button that begins or stops, and how far they are. */
function RunLine({ estimate, results, state, words, onRun, onStop }: RunLineProps) {
  const { questions, judge } = estimate
  const isRunning = state === "running"
  return (
    <div class="run-line">
      <p>
        {words.fileTakes(questions)} {words.left}: {estimateText(estimate.a, words)}; {words.right}:{" "}
        {estimateText(estimate.b, words)}. {words.mayCallAgain} {judge ? words.withJudge : words.withoutJudge}
      </p>
      <button type="button" onClick={isRunning ? onStop : onRun}>
        {isRunning ? words.stop : words.runAll(questions)}
      </button>
      {state !== "none" && <progress max={questions} value={results.length} aria-label={words.progress} />}
      <span role="status">
        {state === "none"
          ? words.notAsked
          : `${words.answersOf(results.length, questions)}${state === "stopped" ? ` · ${words.stopped}` : ""}`}
      </span>
    </div>
  )
}

async function estimateOf(body: string, signal: AbortSignal, words: Words): Promise<QuestionEstimate> {
  const response = await fetch("api/compare/questions", { method: "POST", body, signal })
  if (!response.ok) throw new Error(await refusalOf(response, words))
  return (await response.json()) as QuestionEstimate
}

function wordsOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
