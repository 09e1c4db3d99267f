import { expect, test } from "vitest"
import { withWords } from "../../.ci/document-profile-types.ts"
import { flag, type Key, line, table, tables, type ValueType } from "../../src/profile/key.ts"
import type { KeyWords } from "../../src/profile/key-words.ts"

test("an editor shows the words of a key: they are written above it in the built declarations, in tables and lists of tables too", () => {
  const [deep, name, other] = [flag(), line(), flag()]
  const keys = { name, inner: table({ name: other }), list: tables(table({ deep }), { expected: "entries" }) }
  const said = new Map<Key | ValueType, KeyWords>([
    [name, { words: "The name." }],
    [keys.inner, { words: "A table." }],
    [other, { words: "Another name, such as a*/b." }],
    [keys.list, { words: "Entries." }],
    [deep, { words: "Deep." }],
  ])
  const declarations = [
    "export declare const other: Table<{",
    "    readonly name: Key<string>;",
    "}>;",
    "export declare const all: Table<{",
    "    readonly name: Key<string>;",
    "    readonly inner: Table<{",
    "        readonly name: Key<boolean>;",
    "    }>;",
    "    readonly list: Key<readonly {",
    "        readonly deep?: boolean;",
    "    }[]>;",
    "}>;",
  ]
  expect(withWords(declarations.join("\n"), "all", keys, said).split("\n")).toEqual([
    ...declarations.slice(0, 4),
    "    /** The name. */",
    "    readonly name: Key<string>;",
    "    /** A table. */",
    "    readonly inner: Table<{",
    "        /** Another name, such as a*\\/b. */",
    "        readonly name: Key<boolean>;",
    "    }>;",
    "    /** Entries. */",
    "    readonly list: Key<readonly {",
    "        /** Deep. */",
    "        readonly deep?: boolean;",
    "    }[]>;",
    "}>;",
  ])
})
