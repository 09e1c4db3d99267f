import { useCallback, useEffect, useRef, useState } from "preact/hooks"
import type { ChatFacts } from "../../src/apps/server/inspector/chat-routes.ts"
import { ask } from "../data.ts"

/** The page's conversation, and ways to act in it. */
export interface ChatState {
  /** Undefined until they have come. */
  readonly facts: ChatFacts | undefined
  /** The reason why the last act did nothing. */
  readonly problem: string
  /** The words of the last command. */
  readonly said: string
  /** Codes of the calls whose answer is on its way. */
  readonly answering: ReadonlySet<string>
  /** Sends words or a command. False if that failed. */
  readonly say: (text: string, files?: readonly File[]) => Promise<boolean>
  /** Answers a call that waits. A second press does nothing. */
  readonly answer: (code: string, approved: boolean, reason: string) => Promise<void>
}

interface ChatOptions {
  /** False where nobody may chat. */
  readonly canChat: boolean
  readonly locale: string
  /** Changes with whatever happens to a turn. */
  readonly news: number
  readonly onSent: () => void
  /** Called when a command put another turn at the end of the conversation. */
  readonly onMoved: (turnId: string | undefined) => void
}

/** The id of the field in which one writes. */
export const fieldId = "say"

const dataUrl = (file: File): Promise<string> =>
  new Promise((resolve, reject) => {
    const reader = new FileReader()
    reader.onload = () => resolve(String(reader.result))
    reader.onerror = () => reject(reader.error)
    reader.readAsDataURL(file)
  })

/** Follows the page's conversation. */
export function useChat({ canChat, locale, news, onSent, onMoved }: ChatOptions): ChatState {
  const [facts, setFacts] = useState<ChatFacts>()
  const [problem, setProblem] = useState("")
  const [said, setSaid] = useState("")
  const [answering, setAnswering] = useState<ReadonlySet<string>>(new Set())
  const running = useRef(new Set<string>())
  const answered = useRef<string | undefined>(undefined)
  const asked = useRef(0)
  const reload = useCallback(async () => {
    const turn = ++asked.current
    const found = canChat ? await ask<ChatFacts>(`chat?locale=${locale}`).catch(() => undefined) : undefined
    if (found && turn === asked.current) setFacts(found)
    return found
  }, [canChat, locale])
  useEffect(() => void reload(), [reload, news])
  useEffect(() => {
    if (answered.current === undefined || facts?.approvals.some(({ code }) => code === answered.current)) return
    answered.current = undefined
    // The button that had the focus is gone with its question.
    if (document.activeElement === document.body) document.getElementById(fieldId)?.focus()
  }, [facts])
  const act = async (work: () => Promise<void>): Promise<boolean> => {
    try {
      await work()
      setProblem("")
      return true
    } catch (error) {
      setProblem(error instanceof Error ? error.message : String(error))
      return false
    } finally {
      await reload()
    }
  }
  return {
    facts,
    problem,
    said,
    answering,
    say: (text, files = []) =>
      act(async () => {
        const sent = await Promise.all(files.map(async (file) => ({ name: file.name, url: await dataUrl(file) })))
        const outcome = await ask<{ readonly turn?: string; readonly text?: string }>("chat", { text, files: sent, locale })
        if (outcome.turn !== undefined) {
          setSaid("")
          return onSent()
        }
        const now = await reload()
        // A greeting that the command says is shown already.
        setSaid(outcome.text === now?.greeting?.text ? "" : (outcome.text ?? ""))
        if (now?.last.turnId !== facts?.last.turnId) onMoved(now?.last.turnId)
      }),
    async answer(code, approved, reason) {
      if (running.current.has(code)) return
      running.current.add(code)
      answered.current = code
      setAnswering(new Set(running.current))
      await act(() => ask(`chat/approvals/${code}`, { approved, reason: reason.trim() || undefined, locale }))
      running.current.delete(code)
      setAnswering(new Set(running.current))
    },
  }
}
