/**
 * A regular expression that is built when it is first used. Each set of Unicode properties takes up to a millisecond to
 * compile, even in a literal that never runs, so an import would pay for all of them.
 */
export function lazyPattern(source: string, flags: string): () => RegExp {
  let pattern: RegExp | undefined
  return () => {
    pattern ??= new RegExp(source, flags)
    return pattern
  }
}
/** The place of an object's makers. */
const makers = Symbol("makers")

interface LazyObject {
  readonly [makers]: Record<string, (() => unknown) | { readonly value: unknown }>
}

/** By name, one accessor for all objects. */
const accessors: Record<string, PropertyDescriptor> = {}

/**
 * Adds members behind those that are there. They are made when they are first read, and look like any others. A getter in an object
 * literal would do the same at twice the cost: V8 keeps it, with all that it closes over, until the next full collection.
 */
export function withLazyMembers<Target extends object, Members extends object>(
  target: Target,
  make: { [Name in keyof Members]: () => Members[Name] },
): Target & Members {
  const all = { ...(target as Partial<LazyObject>)[makers], ...make }
  Object.defineProperty(target, makers, { value: all, configurable: true })
  for (const name of Object.keys(make)) {
    const accessor = accessors[name] ?? { get: getterOf(name), enumerable: true, configurable: true }
    accessors[name] = accessor
    Object.defineProperty(target, name, accessor)
  }
  return target as Target & Members
}

function getterOf(name: string): () => unknown {
  return function (this: LazyObject) {
    const known = this[makers][name]
    if (typeof known !== "function") return known?.value
    const value = known()
    // Lets go of all that it was made from.
    this[makers][name] = { value }
    return value
  }
}

/** An object with other members. Those that are made when they are read, such as an assembly's spans, are not read for it. */
export function withMembers<Target extends object>(target: Target, members: Partial<Target>): Target {
  const both = { ...Object.getOwnPropertyDescriptors(target), ...Object.getOwnPropertyDescriptors(members) }
  return Object.defineProperties({}, both as PropertyDescriptorMap) as Target
}
