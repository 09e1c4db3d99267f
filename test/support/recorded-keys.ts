/**
 * Search words as a model writes them beside the lines of made-up conversations: from each line alone, before any question is asked. A line
 * has those of the text that it contains.
 */
const recorded: ReadonlyMap<string, readonly string[]> = new Map(
  `
ran a charity race for mental health | running, sport, fundraiser, donation
took part in a 5k for charity | running, sport, race, fundraiser
signed up for a pottery class | ceramics, art, course, hobby
made my first bowl in the pottery studio | ceramics, art, clay, hobby
took the kids to the museum | family, children, exhibition, outing
went with my children to see the dinosaur exhibit | family, kids, museum, fossils
went camping in the mountains with my family | outdoors, tent, nature, trip
slept in a tent up by the lake | camping, outdoors, nature, trip
started a new job at a law firm | work, career, employer, lawyer
got hired by a small publishing house | work, job, career, employer, books
played the violin at a friend's wedding | music, performance, concert, instrument
performed on stage with my violin | music, concert, played, instrument
baked a chocolate cake from scratch | food, dessert, baking, sweets
tried a new recipe for lemon pie | food, dessert, baking, cooking
broke my wrist when I fell off my bike | health, injury, accident, bicycle, arm
hurt my knee on the stairs | health, injury, accident, leg
adopted a puppy from the shelter | pet, dog, animal
brought home a tiny rescue dog | pet, puppy, animal, adoption
flew to Paris for a week | travel, France, holiday, trip
visited the Eiffel Tower at night | travel, Paris, France, sightseeing
finished a novel by Jane Austen | reading, book, literature
read Pride and Prejudice again | reading, book, novel, Jane Austen, classic
enrolled in an evening course on accounting | learning, class, bookkeeping, study
passed my first exam in bookkeeping | learning, test, accounting, study
planted tomatoes and basil in the backyard | garden, vegetables, herbs, growing
dug up the lawn for a vegetable patch | garden, plants, yard, growing
moved into a bigger apartment downtown | home, flat, housing, relocation
painted the living room light blue | home, renovation, wall, color
volunteered at the homeless shelter | volunteering, charity, helping
served soup at the community kitchen | volunteering, charity, helping, food bank
met up with my old friends from college | friends, reunion, university
had a reunion with my university roommates | friends, college, meeting
swam a mile in open water | sport, swimming, lake, fitness
won third place in the swimming contest | sport, medal, competition, bronze
painted a sunset over the ocean | art, painting, picture, sea
sold a watercolor at the local fair | art, painting, picture, sale
celebrated my grandmother's ninetieth birthday | family, grandma, party, anniversary
threw a surprise party for my grandma | family, grandmother, birthday, celebration
hiked to the waterfall with my brother | outdoors, walking, trail, nature
climbed a steep trail in the national park | outdoors, hiking, mountain, nature
gave a presentation to the whole board | work, talk, meeting, career
got promoted to team leader | work, career, promotion, boss
wrote a song about my hometown | music, songwriting, lyrics
bought a used acoustic guitar | music, instrument, purchase
cooked a Thai curry for twelve people | food, dinner, cooking, guests
taught my sister to make dumplings | food, cooking, recipe, family
began therapy with someone I trust | health, counselling, psychologist, mental health
went to the dentist to have a tooth pulled | health, teeth, doctor, extraction
took our cat to the vet after a fight | pet, animal, veterinarian, injury
lost our parrot for two days | pet, bird, animal, missing
drove along the coast to Oregon | travel, road trip, car, sea
rented a camper for a road trip | travel, van, holiday, driving
borrowed a biography of Marie Curie | reading, book, library, scientist
joined a book club at the library | reading, books, group
took my first Spanish lesson online | learning, language, class, course
held a conversation entirely in Spanish | learning, language, speaking, talk
built a greenhouse out of old windows | garden, plants, glass, construction
grew sunflowers taller than me | garden, plants, flowers
fixed the leaking roof by myself | home, repair, house, handyman
bought a couch at the flea market | home, sofa, furniture, secondhand
led a workshop for young refugees | volunteering, teaching, helping, migrants
spoke at a school about kindness | volunteering, talk, students, speech
rode horses with my best friend | friends, riding, outing
went to a concert with Sam | friends, music, gig, show
`
    .trim()
    .split("\n")
    .map((line) => {
      const [told = "", words = ""] = line.split(" | ")
      return [told, words.split(", ")]
    }),
)

/** The recorded keys of a line; undefined for one that holds nothing worth finding. */
export function recordedKeys(text: string): { readonly words: readonly string[] } | undefined {
  for (const [told, words] of recorded) if (text.includes(told)) return { words }
  return undefined
}
