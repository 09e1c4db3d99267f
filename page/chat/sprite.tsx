import { useEffect, useState } from "preact/hooks"
import { foldLetters } from "../../src/prompt/encode/fold.ts"
import { ask } from "../data.ts"
import type { Words } from "../words.ts"

interface SpriteProps {
  readonly agent: string
  /** The emotion that the answer shows last. */
  readonly emotion: string | undefined
  readonly words: Words
}

const portrait = "portrait"

/** The picture of the agent with its emotion of the moment, else a neutral one, else its portrait; nothing for an agent without pictures. */
export function Sprite({ agent, emotion = "neutral", words }: SpriteProps) {
  const [names, setNames] = useState<readonly string[]>([])
  const [shown, setShown] = useState<{ readonly name: string; readonly data: string }>()
  useEffect(() => void namesOf().then(setNames), [])
  const name = [foldLetters(emotion.trim()), "neutral", portrait].find((each) => names.includes(each))
  useEffect(() => {
    let isLate = false
    if (name !== undefined) void dataOf(name).then((data) => !isLate && data !== undefined && setShown({ name, data }))
    return () => {
      isLate = true
    }
  }, [name])
  if (shown === undefined) return null
  const alt = shown.name === portrait ? words.portrait(agent) : words.sprite(agent, shown.name)
  return <img class="sprite" src={shown.data} alt={alt} />
}

async function namesOf(): Promise<readonly string[]> {
  const { data } = await ask<{ readonly data: readonly { readonly id: string }[] }>("sprites").catch(() => ({ data: [] }))
  return data.map(({ id }) => id)
}

/** A picture as a `data:` address, since the page's policy lets no other picture in; undefined if it cannot be had. */
async function dataOf(name: string): Promise<string | undefined> {
  const response = await fetch(`api/sprites/${encodeURIComponent(name)}`).catch(() => undefined)
  if (!response?.ok) return undefined
  const blob = await response.blob()
  return new Promise((resolve) => {
    const reader = new FileReader()
    reader.onload = () => resolve(String(reader.result))
    reader.onerror = () => resolve(undefined)
    reader.readAsDataURL(blob)
  })
}
