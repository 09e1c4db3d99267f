import type { RecordedRequest } from "../src/apps/server/inspector/turn-record.ts"
import { fateWord, type LayerSum, sumLayers } from "./layout.ts"
import type { Words } from "./words.ts"

/** The changes that a preview makes to a request. */
export interface Changes {
  readonly budgetTokens: number | undefined
  readonly off: readonly string[]
}

interface LayersProps {
  readonly request: Pick<RecordedRequest, "messages" | "decisions" | "tokens" | "overheadTokens" | "exact" | "windowRoom">
  /** The request as it was sent: its layers can be switched off. */
  readonly sent: Pick<RecordedRequest, "messages" | "decisions" | "tokens" | "overheadTokens">
  readonly changes: Changes
  /** Undefined if the turn cannot be assembled again. */
  readonly onChange: ((changes: Changes) => void) | undefined
  readonly words: Words
}

/** The layers of a request as a bar and a table, with switches and a budget that assemble it again. */
export function Layers({ request, sent, changes, onChange, words }: LayersProps) {
  const now = new Map(sumLayers(request).map((layer) => [layer.key, layer]))
  const then = sumLayers(sent)
  const keys = [...new Set([...then.map(({ key }) => key), ...now.keys()])]
  const total = Math.max(1, request.tokens)
  const whole = sent.tokens + sent.overheadTokens
  const layers = keys.map(
    (key) => now.get(key) ?? { ...(then.find((layer) => layer.key === key) as LayerSum), tokens: 0, fate: "dropped" },
  )
  const budget = changes.budgetTokens ?? whole
  return (
    <section class="layers" aria-label={words.layers}>
      <h2>
        {words.layers} <small>{tokensText(request, words)}</small>
      </h2>
      <div class="bar" aria-hidden="true">
        {layers
          .filter(({ tokens }) => tokens > 0)
          .map(({ key, tokens, colour }) => (
            <span
              key={key}
              class={`c${colour}`}
              style={{ width: `${(100 * tokens) / total}%` }}
              title={`${key || words.frame} · ${tokens}`}
            />
          ))}
      </div>
      {onChange ? (
        <label class="budget">
          {words.budget}: <output>{budget.toLocaleString()}</output>
          <input
            type="range"
            min={Math.max(1, Math.floor(whole / 20))}
            max={Math.ceil(whole * 1.2)}
            value={budget}
            onInput={(event) => onChange({ ...changes, budgetTokens: Number(event.currentTarget.value) })}
          />
        </label>
      ) : (
        <p class="quiet">{words.noPreview}</p>
      )}
      {onChange && (
        <button type="button" onClick={() => onChange({ ...changes })}>
          {words.again}
        </button>
      )}
      {request.windowRoom && <p class="room">{words.windowRoom(request.windowRoom)}</p>}
      <table>
        <thead>
          <tr>
            {onChange && <th scope="col">{words.on}</th>}
            <th scope="col">{words.layer}</th>
            <th scope="col">{words.tokensShort}</th>
            <th scope="col">{words.share}</th>
            <th scope="col">{words.fate}</th>
          </tr>
        </thead>
        <tbody>
          {layers.map((layer) => (
            <LayerRow key={layer.key} {...{ layer, total, changes, onChange, words }} />
          ))}
        </tbody>
      </table>
    </section>
  )
}

interface LayerRowProps extends Pick<LayersProps, "changes" | "onChange" | "words"> {
  readonly layer: LayerSum
  readonly total: number
}

function LayerRow({ layer, total, changes, onChange, words }: LayerRowProps) {
  const { key, tokens, colour, fate, reason, fromTokens } = layer
  const isOff = changes.off.includes(key)
  const toggle = (): void =>
    onChange?.({ ...changes, off: isOff ? changes.off.filter((other) => other !== key) : [...changes.off, key] })
  const name = key || words.frame
  return (
    <tr class={`${fate} ${isOff ? "off" : ""}`}>
      {onChange && (
        <td>{key !== "" && <input type="checkbox" checked={!isOff} onChange={toggle} aria-label={`${words.on}: ${name}`} />}</td>
      )}
      <th scope="row">
        <span class={`swatch c${colour}`} /> {name}
      </th>
      <td class="number">{tokens.toLocaleString()}</td>
      <td class="number">{Math.round((100 * tokens) / total)} %</td>
      <td>
        {fateWord(fate, words)}
        {fate === "shortened" && ` (${fromTokens.toLocaleString()} → ${tokens.toLocaleString()})`}
        {reason && <small> {words.reason(reason)}</small>}
      </td>
    </tr>
  )
}

/** `about 1,234 + 20 tokens`. */
function tokensText({ tokens, overheadTokens, exact }: LayersProps["request"], words: Words): string {
  const sum = `${tokens.toLocaleString()}${overheadTokens > 0 ? ` + ${overheadTokens.toLocaleString()}` : ""}`
  return `${exact ? "" : `${words.about} `}${words.tokens(sum)}`
}
