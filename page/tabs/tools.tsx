import type { RecordedChild, TurnRecord } from "../../src/apps/server/inspector/turn-record.ts"
import type { TabProps } from "../tab.ts"
import { cut } from "../turns.tsx"
import type { Words } from "../words.ts"

type Run = TurnRecord["tools"][number]

/** The whole texts are in the request behind the call, and in the saved record. */
const maxShown = 20_000

/** The runs of tools with what they were asked and what they brought: before the first plan, by the model, and in child agents. */
export function Tools({ record, words }: TabProps) {
  return (
    <div class="runs">
      {record.prestart.length > 0 && <h2>{words.prestart}</h2>}
      <Runs runs={record.prestart} words={words} />
      {record.tools.length > 0 && <h2>{words.byModel}</h2>}
      <Runs runs={record.tools} words={words} />
      <Children children_={record.children} words={words} />
    </div>
  )
}

/** True if a turn ran a tool. */
export function hasTools({ prestart, tools, children }: TurnRecord): boolean {
  return prestart.length + tools.length + children.length > 0
}

function Children({ children_, words }: { readonly children_: readonly RecordedChild[]; readonly words: Words }) {
  return (
    <>
      {children_.map(({ id, name, tools, children }) => (
        <div class="child" key={id}>
          <h2>{words.inChild(name)}</h2>
          <Runs runs={tools} words={words} />
          <Children children_={children} words={words} />
        </div>
      ))}
    </>
  )
}

function Runs({ runs, words }: { readonly runs: readonly Run[]; readonly words: Words }) {
  return (
    <>
      {runs.map(({ id, tool, args, status, result, durationMs }) => (
        <section key={id} aria-label={tool}>
          <p class={status === "failed" ? "failed" : ""}>
            <strong>{tool}</strong> {status} <small>{durationMs} ms</small>
          </p>
          {Object.keys(args).length > 0 && <pre>{cut(JSON.stringify(args, null, 2), maxShown)}</pre>}
          <details open>
            <summary>{words.result}</summary>
            <pre>{cut(result, maxShown)}</pre>
          </details>
        </section>
      ))}
    </>
  )
}
