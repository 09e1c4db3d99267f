import { useEffect, useRef, useState } from "preact/hooks"
import type { RecordedRequest } from "../../src/apps/server/inspector/turn-record.ts"
import { AnswerFacts } from "../answer-facts.tsx"
import { ask } from "../data.ts"
import { type Changes, Layers } from "../layers.tsx"
import type { TabProps } from "../tab.ts"
import { TextView } from "../text-view.tsx"
import type { Words } from "../words.ts"

/** In a preview the change is to what was sent, not to the request before. */
function previewWords(words: Words): Words {
  return { ...words, changed: words.differs, extended: words.differsAfter }
}

const unchanged: Changes = { budgetTokens: undefined, off: [] }

/** A request beside its layers. */
export function Prompt({ request, ...props }: TabProps) {
  return request ? <Adjustable {...props} request={request} /> : <p class="quiet">{props.words.noRequest}</p>
}

interface AdjustableProps extends TabProps {
  readonly request: RecordedRequest
}

/** Changes of budget and layers show the request as it would be. */
function Adjustable({ record, request, info, words, isServed, onEdit }: AdjustableProps) {
  const [changes, setChanges] = useState(unchanged)
  const [preview, setPreview] = useState<RecordedRequest>()
  const [problem, setProblem] = useState("")
  const asked = useRef(0)
  useEffect(() => {
    const turn = ++asked.current
    if (changes === unchanged) return setPreview(undefined)
    const timer = setTimeout(async () => {
      try {
        const made = await ask<RecordedRequest>(`turns/${record.id}/preview`, changes)
        if (asked.current === turn) setPreview(made)
        setProblem("")
      } catch (error) {
        if (asked.current === turn) setProblem(error instanceof Error ? error.message : String(error))
      }
    }, 150)
    return () => clearTimeout(timer)
  }, [changes, record.id])
  const isPossible = isServed && record.durationMs !== undefined && record.wake === undefined && request === record.requests[0]
  return (
    <div class="prompt">
      <div class="request">
        {preview && (
          <p class="preview" role="status">
            {words.preview} {preview.change?.outcome === "none" && words.same}{" "}
            <button type="button" onClick={() => setChanges(unchanged)}>
              {words.asSent}
            </button>
          </p>
        )}
        {problem && <p role="alert">{problem}</p>}
        <TextView
          request={preview ?? request}
          words={preview ? previewWords(words) : words}
          info={isServed ? info : undefined}
          onEdit={onEdit}
        />
        <AnswerFacts request={request} warnings={request === record.requests.at(-1) ? record.warnings : []} words={words} />
      </div>
      <Layers
        request={preview ?? request}
        sent={request}
        changes={changes}
        onChange={isPossible ? setChanges : undefined}
        words={words}
      />
    </div>
  )
}
