/** Something a person did, in the words it is told with and the words it is asked with. */
export interface Topic {
  readonly category: string
  /** After "I": past tense. */
  readonly told: readonly [string, ...string[]]
  /** After "did she": plain form, mostly in other words. */
  readonly asked: readonly [string, ...string[]]
  /** What the other one says of it at once. */
  readonly echo: string
  /** A later detail that names the thing only by "it". */
  readonly detail: string
  /** After "How long has she been": and the words the other one asks with. */
  readonly doing?: readonly [asked: string, partner: string]
}

const topic = (line: string): Topic => {
  const [category = "", told = "", asked = "", echo = "", detail = "", doing = ""] = line.split(" | ")
  const several = (text: string) => text.split(" / ") as [string, ...string[]]
  const [one, other] = doing.split(" / ")
  return {
    category,
    told: several(told),
    asked: several(asked),
    echo,
    detail,
    ...(one !== undefined && other !== undefined && { doing: [one, other] }),
  }
}

/** What the weights were looked at with. */
export const developmentTopics: readonly Topic[] = `
sport | ran a charity race for mental health / took part in a 5k for charity | run a charity race / take part in the charity run | A charity race is such a good cause! | We raised more than I ever hoped for. | running / going on runs
art | signed up for a pottery class / made my first bowl in the pottery studio | sign up for pottery classes / start pottery | Pottery sounds so relaxing. | The clay feels calming in my hands. | doing pottery / working with clay
family | took the kids to the museum / went with my children to see the dinosaur exhibit | take her kids to the museum / visit the museum with the children | Kids and museums, love it! | They could not stop asking questions about the bones. |
outdoors | went camping in the mountains with my family / slept in a tent up by the lake | go camping with the family / sleep in a tent | Camping must have been beautiful. | We roasted marshmallows and told stories. | camping / camping as a family
work | started a new job at a law firm / got hired by a small publishing house | start the new job / begin work at the new company | Congrats on the new job! | The first week was overwhelming, honestly. | working there / at that job
music | played the violin at a friend's wedding / performed on stage with my violin | play the violin in public / perform with the violin | I had no idea you played! | My hands were shaking the whole time. | playing the violin / practising your instrument
food | baked a chocolate cake from scratch / tried a new recipe for lemon pie | bake a cake / try the new pie recipe | Yum, save me a slice! | It turned out a bit dry but tasty. | baking / making desserts
health | broke my wrist when I fell off my bike / hurt my knee on the stairs | break her wrist / get injured | Ouch, that must hurt! | The doctor says six more weeks. |
pets | adopted a puppy from the shelter / brought home a tiny rescue dog | adopt a dog / get the puppy | Aww, a puppy! | He chewed up my slippers already. |
travel | flew to Paris for a week / visited the Eiffel Tower at night | travel to France / fly to Paris | Paris is a dream of mine. | The view took my breath away. |
reading | finished a novel by Jane Austen / read Pride and Prejudice again | finish reading the novel / read the Austen book | Classic! | The ending always makes me cry. | reading classics / into old novels
learning | enrolled in an evening course on accounting / passed my first exam in bookkeeping | enroll in the accounting course / pass the bookkeeping exam | Good for you for studying! | The teacher explains everything with patience. | studying accounting / taking lessons in the evening
garden | planted tomatoes and basil in the backyard / dug up the lawn for a vegetable patch | plant vegetables / start the garden | Homegrown food is the best. | The snails have eaten half of them. | gardening / growing your own
home | moved into a bigger apartment downtown / painted the living room light blue | move to the new apartment / paint the living room | A fresh start at home! | There are still boxes everywhere. |
volunteering | volunteered at the homeless shelter / served soup at the community kitchen | volunteer at the shelter / help at the soup kitchen | That is so kind of you. | One old man told me his whole life. | volunteering / helping out there
friends | met up with my old friends from college / had a reunion with my university roommates | meet her college friends / have the reunion | Old friends are gold. | We laughed until two in the morning. |
`
  .trim()
  .split("\n")
  .map(topic)

/** What they were not looked at with. */
export const heldOutTopics: readonly Topic[] = `
sport | swam a mile in open water / won third place in the swimming contest | swim in open water / win a medal in swimming | Swimming that far, wow! | The water was freezing cold. | swimming / training in the pool
art | painted a sunset over the ocean / sold a watercolor at the local fair | paint the sunset / sell a painting | I would love to see your art. | The colors blended better than usual. | painting / doing watercolors
family | celebrated my grandmother's ninetieth birthday / threw a surprise party for my grandma | celebrate her grandma's birthday / throw the surprise party | Ninety, what an age! | She danced with every one of us. |
outdoors | hiked to the waterfall with my brother / climbed a steep trail in the national park | hike to the waterfall / climb the trail | Waterfalls are magical. | My legs are still sore. | hiking / doing those trails
work | gave a presentation to the whole board / got promoted to team leader | give the presentation / get promoted | You deserve it so much! | My boss shook my hand afterwards. | leading the team / in that role
music | wrote a song about my hometown / bought a used acoustic guitar | write the song / buy a guitar | Music is your thing! | The chorus took me forever. | playing guitar / making songs
food | cooked a Thai curry for twelve people / taught my sister to make dumplings | cook for a large group / teach her sister to cook | I am hungry just hearing it. | The kitchen was a battlefield after. | cooking Asian food / into cooking
health | began therapy with someone I trust / went to the dentist to have a tooth pulled | begin therapy / see the dentist | Proud of you for taking care of yourself. | It was less scary than I thought. | going to therapy / seeing someone about it
pets | took our cat to the vet after a fight / lost our parrot for two days | take the cat to the vet / lose the parrot | Poor little thing! | Everything is fine again, luckily. |
travel | drove along the coast to Oregon / rented a camper for a road trip | drive along the coast / go on the road trip | Road trips are the best. | We stopped wherever we liked. |
reading | borrowed a biography of Marie Curie / joined a book club at the library | borrow the biography / join the book club | I keep meaning to read more. | They argue about every chapter. | going to the book club / meeting those readers
learning | took my first Spanish lesson online / held a conversation entirely in Spanish | learn Spanish / speak Spanish with someone | Muy bien! | I mixed up all the verbs. | learning Spanish / studying that language
garden | built a greenhouse out of old windows / grew sunflowers taller than me | build the greenhouse / grow sunflowers | You have a green thumb. | The neighbors keep staring over the fence. |
home | fixed the leaking roof by myself / bought a couch at the flea market | repair the roof / buy the sofa | So handy! | I watched a dozen videos first. |
volunteering | led a workshop for young refugees / spoke at a school about kindness | lead the workshop / speak at the school | They are lucky to have you. | A girl in the first row asked the best thing. | mentoring / supporting young people
friends | rode horses with my best friend / went to a concert with Sam | ride horses / attend the concert | Sounds like a perfect day. | We sang all the way back. |
`
  .trim()
  .split("\n")
  .map(topic)
