import { expect, expectTypeOf, test } from "vitest"
import type { ServiceKey, SessionKey } from "../../../src/core/conversation.ts"
import type { ReflectionService } from "../../../src/memory/services/background/reflection.ts"
import type { MemoryService } from "../../../src/memory/services/memory/memory-service.ts"
import type { Receipt } from "../../../src/memory/services/store/receipt.ts"
import type { MemoryRecords, ReceiptRecords, UserRecords } from "../../../src/memory/services/store/records.ts"
import type { SessionStore } from "../../../src/memory/services/store/session-store.ts"
import type { UserProfileService } from "../../../src/memory/services/user-profile.ts"

/** True if a parameter is a key, or has one as its member `key`. */
type TakesKey<F> = F extends (...args: infer A) => unknown
  ? true extends { [I in keyof A]: IsKey<A[I]> }[number]
    ? true
    : false
  : false
type IsKey<T> = [T] extends [ServiceKey] ? true : [T] extends [{ readonly key: ServiceKey }] ? true : false
type Keyless<S> = { [M in keyof S]-?: TakesKey<NonNullable<S[M]>> extends true ? never : M }[keyof S]

test("no call of a service or of its records is possible without its key", () => {
  expectTypeOf<Keyless<MemoryService>>().toEqualTypeOf<never>()
  expectTypeOf<Keyless<UserProfileService>>().toEqualTypeOf<never>()
  expectTypeOf<Keyless<Omit<ReflectionService, "nextRunMs">>>().toEqualTypeOf<never>()
  expectTypeOf<Keyless<MemoryRecords>>().toEqualTypeOf<never>()
  expectTypeOf<Keyless<UserRecords>>().toEqualTypeOf<never>()
  expectTypeOf<Keyless<Omit<ReceiptRecords, "put">>>().toEqualTypeOf<never>()
  expectTypeOf<Parameters<SessionStore[keyof SessionStore]>[0]>().toEqualTypeOf<SessionKey>()
  expectTypeOf<Receipt["key"]>().toEqualTypeOf<ServiceKey>()
  expectTypeOf<Keyless<{ naked(query: string): void; kept(key: ServiceKey): void }>>().toEqualTypeOf<"naked">()
  expectTypeOf<{ user?: string }>().not.toExtend<ServiceKey>()
  expect(true).toBe(true)
})
