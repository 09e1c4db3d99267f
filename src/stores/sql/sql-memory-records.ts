import type { MemoryRecords } from "../../services/store/records.ts"
import { memoriesWithoutVector, putVectors, readVectors } from "./memory-vectors.ts"
import { putMemory } from "./put-memory.ts"
import { getMemory, memoryChanges, recentMemories } from "./read-memories.ts"
import type { SqlDatabase } from "./sql-database.ts"

/** Memories in a database. */
export function createSqlMemoryRecords({ read, write }: SqlDatabase): MemoryRecords {
  return {
    put: (memory, options) => write((db) => putMemory(db, memory, options)),
    get: (id, key) => read((db) => getMemory(db, id, key)),
    changes: (key, options) => read((db) => memoryChanges(db, key, options)),
    recent: (key, options) => read((db) => recentMemories(db, key, options)),
    putVectors: (vectors, key) => write((db) => putVectors(db, vectors, key)),
    vectors: (ids, model, key) => read((db) => readVectors(db, { ids, model }, key)),
    withoutVector: (model, key, limit) => read((db) => memoriesWithoutVector(db, { model, limit }, key)),
  }
}
