import { useEffect, useRef, useState } from "preact/hooks"
import type { RunEstimate } from "../../src/apps/server/inspector/compare/compare-agents.ts"
import type { Words } from "../words.ts"
import { AgentFields, type AgentsProps, estimateText } from "./agent-sides.tsx"
import { askAgents, changesOf } from "./ask-agents.ts"
import { type FileQuestion, type QuestionResult, readQuestions } from "./question-file.ts"
import { Results } from "./results.tsx"

const maxBytes = 900_000

/** Questions that are asked at the same time, each of both agents. */
const atOnce = 2

interface QuestionFile {
  readonly name: string
  readonly questions: readonly FileQuestion[]
}

/** The tokens and the cost of one call for each question, as those of the first one are. */
interface FileEstimate {
  readonly a: RunEstimate
  readonly b: RunEstimate
}

/** Both agents over the questions of a file: what it takes at once, and the answers when a person asks for them. */
export function Questions(props: AgentsProps) {
  const { agents, info, words } = props
  const [file, setFile] = useState<QuestionFile>()
  const [estimate, setEstimate] = useState<FileEstimate>()
  const [results, setResults] = useState<readonly QuestionResult[]>([])
  const [problem, setProblem] = useState("")
  const [state, setState] = useState<"none" | "running" | "stopped" | "done">("none")
  const leaving = useRef(new AbortController())
  const changes = JSON.stringify(changesOf(agents))
  useEffect(() => {
    setEstimate(undefined)
    setResults([])
    setState("none")
    if (file === undefined) return
    const own = new AbortController()
    leaving.current = own
    const timer = setTimeout(
      () =>
        estimateOf(file, JSON.parse(changes), own.signal, words).then(
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
  }, [file, changes, words])
  const run = async ({ questions }: QuestionFile): Promise<void> => {
    const own = new AbortController()
    leaving.current = own
    setState("running")
    setResults([])
    setProblem("")
    const waiting = [...questions]
    const work = async (): Promise<void> => {
      for (let next = waiting.shift(); next; next = waiting.shift()) {
        const { question, expected } = next
        const { a, b, verdict } = await askAgents({ question, expected, run: true, ...changesOf(agents) }, own.signal, words)
        const result = { ...next, a, b, verdict }
        setResults((known) => [...known, result])
      }
    }
    try {
      await Promise.all(Array.from({ length: atOnce }, work))
      setState("done")
    } catch (error) {
      if (leaving.current === own) setState("stopped")
      if (!own.signal.aborted) setProblem(wordsOf(error))
      own.abort()
    }
  }
  const choose = async (chosen: File | undefined): Promise<void> => {
    setFile(undefined)
    if (!chosen) return
    if (chosen.size > maxBytes) return setProblem(words.fileTooLarge(chosen.size.toLocaleString(), maxBytes.toLocaleString()))
    try {
      setFile({ name: chosen.name, questions: readQuestions(await chosen.text(), words) })
      setProblem("")
    } catch (error) {
      setProblem(wordsOf(error))
    }
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
        <RunLine
          {...{ estimate, results, state, words }}
          questions={file.questions.length}
          judge={info.judge}
          onRun={() => void run(file)}
          onStop={() => leaving.current.abort()}
        />
      )}
      {file && results.length > 0 && <Results name={file.name} results={results} words={words} />}
    </>
  )
}

interface RunLineProps {
  readonly questions: number
  /** True if somebody compares the answers. */
  readonly judge: boolean
  readonly estimate: FileEstimate
  readonly results: readonly QuestionResult[]
  readonly state: "none" | "running" | "stopped" | "done"
  readonly words: Words
  readonly onRun: () => void
  readonly onStop: () => void
}

/** The cost of the questions, the button that begins or stops, and how far they are. */
function RunLine({ questions, judge, estimate, results, state, words, onRun, onStop }: RunLineProps) {
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

async function estimateOf(
  { questions }: QuestionFile,
  changes: ReturnType<typeof changesOf>,
  signal: AbortSignal,
  words: Words,
): Promise<FileEstimate> {
  const question = questions[0]?.question ?? ""
  const { a, b } = (await askAgents({ question, ...changes }, signal, words)).estimates
  return { a: times(a, questions.length), b: times(b, questions.length) }
}

function times({ model, exact, readTokens, answerTokens, readCost, answerCost }: RunEstimate, count: number): RunEstimate {
  return {
    model,
    exact: exact && count === 1,
    readTokens: readTokens * count,
    answerTokens: answerTokens * count,
    readCost: readCost && readCost * count,
    answerCost: answerCost && answerCost * count,
  }
}

function wordsOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
