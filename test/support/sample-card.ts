/** The fields of a card with a book, and with what cards of strangers hold. */
export const sampleCard = {
  name: "Mei",
  description: "{{char}} keeps a shop.\u001b[2J",
  personality: "Calm.",
  first_mes: "Welcome!",
  alternate_greetings: ["Hello {{getvar::x}}"],
  group_only_greetings: ["Hello, all!"],
  creator_notes: "Be kind.",
  creator: "Ann",
  tags: ["shop", "calm"],
  character_book: {
    entries: [
      { keys: ["shop", "/(a)\\1/"], comment: "The shop", content: "It is old.", insertion_order: 7 },
      { keys: [], content: "Never seen." },
      { keys: [], content: "Rain.", constant: true, extensions: { position: 4, depth: 2 } },
    ],
  },
}
