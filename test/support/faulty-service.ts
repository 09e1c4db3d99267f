/** A call of a service, in the order in which the calls began. */
export interface ServiceCall {
  /** The method with its place among the calls of that method: `memories.put 2`. */
  readonly name: string
  readonly method: string
  /** The answer; undefined until it is there. A list of lines, if it was a stream. */
  answer?: unknown
  isRefused?: boolean
}

/** A fault of one call: nothing is done and the answer is that of a sound service, or the answer is another one, also instead of an error. */
export type ServiceFault = "omitted" | { readonly path: string; readonly value: unknown }

/** A service whose calls are noted, and go wrong where `faults` says so. `parts` names the members that are objects with methods. */
export function faultyService<T extends object>(
  service: T,
  parts: readonly string[],
  { calls, faults = {}, sound = [] }: FaultyCalls,
): T {
  const counts = new Map<string, number>()
  const wrap = (target: object, prefix: string): object =>
    new Proxy(target, {
      get(_, member) {
        const own: unknown = Reflect.get(target, member)
        const method = prefix + String(member)
        if (parts.includes(method)) return wrap(own as object, `${method}.`)
        if (typeof own !== "function") return own
        return (...given: unknown[]) => {
          const count = (counts.get(method) ?? 0) + 1
          counts.set(method, count)
          const call: ServiceCall = { name: `${method} ${count}`, method }
          calls.push(call)
          const fault = faults[call.name]
          const before = sound.find(({ name }) => name === call.name)
          return answered(call, () => own.apply(target, given), fault, before)
        }
      },
    })
  return wrap(service, "") as T
}

export interface FaultyCalls {
  /** Gets every call. */
  readonly calls: ServiceCall[]
  /** The faults by the names of calls. */
  readonly faults?: Readonly<Record<string, ServiceFault>>
  /** The calls of a sound service. */
  readonly sound?: readonly ServiceCall[]
}

function answered(
  call: ServiceCall,
  run: () => unknown,
  fault: ServiceFault | undefined,
  sound: ServiceCall | undefined,
): unknown {
  if (fault === "omitted") return Promise.resolve(sound?.answer)
  const found = run()
  if (isStream(found)) return lines(call, found, fault)
  return Promise.resolve(found).then(
    (answer) => {
      call.answer = answer
      return fault ? fault.value : answer
    },
    (error: unknown) => {
      call.isRefused = true
      if (fault === undefined) throw error
      return fault.value
    },
  )
}

async function* lines(
  call: ServiceCall,
  stream: AsyncIterable<unknown>,
  fault: Exclude<ServiceFault, "omitted"> | undefined,
): AsyncGenerator<unknown> {
  const all: unknown[] = []
  for await (const line of stream) all.push(line)
  call.answer = all
  yield* fault ? (fault.value as unknown[]) : all
}

const isStream = (value: unknown): value is AsyncIterable<unknown> =>
  typeof value === "object" && value !== null && Symbol.asyncIterator in value

/**
 * Answers of the same shape that are wrong in one place. A list loses its last member, and an empty list or object gets the
 * members of `other`, an answer that the same method gave elsewhere.
 */
export function wrongAnswers(answer: unknown, other: unknown, depth = 0): readonly { path: string; value: unknown }[] {
  if (typeof answer === "boolean") return [{ path: "", value: !answer }]
  if (typeof answer === "number") return [{ path: "", value: answer + 1 }]
  if (typeof answer === "string") return [{ path: "", value: `${answer}?` }]
  if (answer === undefined) return other === undefined ? [] : [{ path: "", value: other }]
  if (Array.isArray(answer)) {
    if (answer.length > 0) return [{ path: "", value: answer.slice(0, -1) }]
    return Array.isArray(other) && other.length > 0 ? [{ path: "", value: other }] : []
  }
  if (typeof answer !== "object" || answer === null || depth > 0 || ArrayBuffer.isView(answer)) return []
  if (Object.keys(answer).length === 0) return Object.keys(other ?? {}).length === 0 ? [] : [{ path: "", value: other }]
  return Object.entries(answer).flatMap(([member, value]) => {
    const others: unknown = typeof other === "object" && other !== null ? Reflect.get(other, member) : undefined
    return wrongAnswers(value, others, depth + 1).map((wrong) => ({
      path: `.${member}`,
      value: { ...answer, [member]: wrong.value },
    }))
  })
}
