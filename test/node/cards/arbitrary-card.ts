import fc from "fast-check"

const text = fc.oneof(
  fc.string({ unit: "binary", maxLength: 20 }),
  fc.constantFrom("", "{{char}} waves at <USER>.", "@@depth 4\n@@@role system\n龙", "<START>\n{{user}}: hi", "\ud800", "</s>"),
)
const value = fc.jsonValue({ maxDepth: 2 })
/** What authors' tools write in place of a value: another type, `null`, or nothing. */
const loosely = <T>(good: fc.Arbitrary<T>) =>
  fc.oneof(
    { weight: 6, arbitrary: good as fc.Arbitrary<unknown> },
    { weight: 1, arbitrary: value },
    { weight: 1, arbitrary: fc.constant(null) },
  )
const more = fc.dictionary(fc.string({ maxLength: 8 }), value, { maxKeys: 3 })
const record = (fields: Record<string, fc.Arbitrary<unknown>>) =>
  fc.tuple(more, fc.record(fields, { requiredKeys: [] })).map(([unknown, known]) => ({ ...unknown, ...known }))

const entry = record({
  keys: loosely(fc.array(text, { maxLength: 3 })),
  secondary_keys: loosely(fc.array(text, { maxLength: 2 })),
  content: loosely(text),
  extensions: loosely(
    record({ position: fc.integer({ min: -1, max: 9 }), depth: fc.integer(), probability: fc.integer(), sticky: fc.nat(9) }),
  ),
  enabled: loosely(fc.boolean()),
  insertion_order: loosely(fc.integer()),
  use_regex: loosely(fc.boolean()),
  selective: loosely(fc.boolean()),
  constant: loosely(fc.boolean()),
  priority: loosely(fc.integer()),
  id: loosely(fc.oneof(fc.integer(), text)),
  position: loosely(fc.constantFrom("before_char", "after_char")),
})
const data = record({
  description: loosely(text),
  personality: loosely(text),
  scenario: loosely(text),
  first_mes: loosely(text),
  mes_example: loosely(text),
  creator_notes: loosely(text),
  system_prompt: loosely(text),
  post_history_instructions: loosely(text),
  alternate_greetings: loosely(fc.array(text, { maxLength: 2 })),
  tags: loosely(fc.array(text, { maxLength: 2 })),
  creator: loosely(text),
  character_version: loosely(text),
  extensions: loosely(more),
  character_book: loosely(
    record({ entries: loosely(fc.array(entry, { maxLength: 3 })), scan_depth: loosely(fc.integer()), extensions: more }),
  ),
  assets: loosely(fc.array(record({ type: text, uri: text, name: text, ext: text }), { maxLength: 2 })),
  nickname: loosely(text),
  group_only_greetings: loosely(fc.array(text, { maxLength: 2 })),
  creation_date: loosely(fc.integer()),
}).chain((fields) => text.map((name): Record<string, unknown> => ({ ...fields, name })))

/** The JSON of a card of any version, with unknown fields, and with wrong ones as other programs write them. */
export const arbitraryCard: fc.Arbitrary<Record<string, unknown>> = fc.oneof(
  data.map((fields) => {
    const { spec: _spec, data: _data, ...rest } = fields
    return rest
  }),
  fc.tuple(more, data).map(([unknown, fields]) => ({ ...unknown, spec: "chara_card_v2", spec_version: "2.0", data: fields })),
  fc.tuple(more, data).map(([unknown, fields]) => ({ ...unknown, spec: "chara_card_v3", spec_version: "3.0", data: fields })),
)
