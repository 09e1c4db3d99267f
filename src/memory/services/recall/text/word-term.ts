import { englishStem } from "./english-stem.ts"

/** A longer word is read up to here. */
const maxWordCharacters = 40

/**
 * The term under which a word is indexed: the stem of its plain form, or of the first word that means the same. A stop word
 * stays as it is, but for the forms of `i`.
 */
export function wordTerm(word: string): string {
  const bounded = word.length > maxWordCharacters ? word.slice(0, maxWordCharacters) : word
  if (selfWords.has(bounded)) return "i"
  if (stopWords.has(bounded)) return bounded
  const apostrophe = bounded.indexOf("'")
  const bare = apostrophe > 0 ? bounded.slice(0, apostrophe) : bounded
  const stem = englishStem(irregularForms.get(bare) ?? bare)
  return everydayEquivalents.get(stem) ?? stem
}

/** The four-letter pieces of a word, with its beginning and end marked by `_`; none for a word of less than four letters. */
export function fourGrams(word: string): string[] {
  if (word.length < 4) return []
  const marked = `_${word.slice(0, maxWordCharacters)}_`
  return Array.from({ length: marked.length - 3 }, (_, i) => marked.slice(i, i + 4))
}

/** Groups of a word and its forms that no rule finds. Forms that are also common words of their own (`left`, `saw`) are included. */
const forms = `be been, bear bore borne, beat beaten, become became, begin began begun, bend bent, bite bit bitten, blow blew blown,
break broke broken, bring brought, build built, burn burnt, buy bought, catch caught, choose chose chosen, come came,
cut cutting, dig dug, draw drew drawn, dream dreamt, drink drank drunk, drive drove driven, eat ate eaten, fall fell fallen,
feed fed, feel felt, fight fought, find found, fly flew flown flies, forget forgot forgotten, forgive forgave forgiven,
freeze froze frozen, get got gotten getting, give gave given, go went gone goes, grow grew grown, hang hung, have had has,
hear heard, hide hid hidden, hit hitting, hold held, keep kept, know knew known, lead led, learn learnt, leave left leaving,
lend lent, lie lay lain lying, light lit, lose lost losing, make made making, mean meant, meet met meeting, pay paid,
put putting, quit quitting, read reading, ride rode ridden, ring rang rung, rise rose risen, run ran running, say said,
see saw seen, seek sought, sell sold, send sent, set setting, sew sewn, shake shook shaken, shine shone, shoot shot, show shown,
sing sang sung, sink sank sunk, sit sat sitting, sleep slept, speak spoke spoken, spend spent, spill spilt, stand stood,
steal stole stolen, stick stuck, sweep swept, swim swam swum swimming, swing swung, take took taken taking, teach taught,
tear tore torn, tell told, think thought, throw threw thrown, understand understood, wake woke woken, wear wore worn,
win won winning, write wrote written writing, child children, foot feet, goose geese, knife knives, leaf leaves, life lives,
man men, mouse mice, person people, shelf shelves, tooth teeth, wife wives, wolf wolves, woman women, half halves,
good better best, bad worse worst`

/** Plain forms by irregular form. */
const irregularForms: ReadonlyMap<string, string> = new Map(
  forms.split(/,\s/).flatMap((group) => {
    const [plain = "", ...others] = group.split(" ")
    return others.map((other) => [other, plain] as const)
  }),
)

/** Groups of words that people use for the same thing; the first one stands for all. Words that are only similar do not belong here. */
const groups = `mother mom mum mama mommy mummy mam, father dad daddy papa, grandmother grandma granny gran nana nan,
grandfather grandpa granddad grandad, brother bro, sister sis, child kid, parent folks, husband hubby, baby infant,
friend buddy pal, photograph photo pic picture snapshot, television tv telly, telephone phone cellphone smartphone,
bicycle bike, automobile car auto, movie film, refrigerator fridge, vacation holiday getaway, apartment flat,
doctor physician doc, dog puppy pup doggo, cat kitten kitty, job employment career, university uni college,
mathematics math maths, exam examination test, laboratory lab, gymnasium gym, advertisement ad advert, favorite favourite fav,
color colour, neighbor neighbour, theater theatre, center centre, gray grey, flavor flavour, honor honour, jewelry jewellery,
begin start, purchase buy, assist help, christmas xmas, tomorrow tmrw tmr, night nite, people ppl, weekend wknd, week wk,
minute min, hour hr, girlfriend gf, boyfriend bf, chemistry chem, biology bio, veterinarian vet, surgery operation,
engine motor, salary wage, trousers pants, garbage trash rubbish, colleague coworker, police cops cop, gasoline petrol,
diaper nappy, luggage baggage, trainers sneakers, license licence, shop store, sick ill, quick fast, big large, small little,
happy glad, scared afraid, sofa couch, gift present, birthday bday, cookie biscuit, airplane plane aeroplane, lady woman,
guy man, boss manager supervisor, marry wed, attorney lawyer, cash money`

/** The stem that stands for a group, by the stem of each other word in it. */
const everydayEquivalents: ReadonlyMap<string, string> = new Map(
  groups.split(/,\s/).flatMap((group) => {
    const [first = "", ...others] = group.split(" ").map(englishStem)
    return others.map((other) => [other, first] as const)
  }),
)

const english = `a about above after again against all also am an and any are aren't as at be because been before being below between
both but by can can't cannot could couldn't did didn't do does doesn't doing don't down during each either else ever few for from
further get gets getting give given gives go goes going gonna got had hadn't has hasn't have haven't having he he'd he'll he's her
here hers herself hey hi him himself his how how's i i'd i'll i'm i've if in into is isn't it it's its itself just let let's like
make makes may me might mine more most much must my myself no nor not now of off oh ok okay on once one only onto or other our ours
ourselves out over own please really same she she'd she'll she's should shouldn't since so some something such than that that's the
their theirs them themselves then there there's these they they'd they'll they're they've thing things this those through to too
under until up upon us very wanna was wasn't we we'd we'll we're we've were weren't what what's when when's where where's which
while who who's whom whose why why's will with within without won't would wouldn't yeah yes you you'd you'll you're you've your
yours yourself yourselves arent cant couldnt didnt doesnt dont hasnt havent hes im isnt ive lol shes shouldnt thats theres theyre tho
u ur wasnt werent whats wheres whos wont wouldnt youre`

const selfWords: ReadonlySet<string> = new Set("i'd i'll i'm i've im ive me my mine myself".split(" "))

/** The terms of stop words by which a text is about its speaker. */
export const ownTerms: ReadonlySet<string> = new Set(["i", "we", "our", "us"])

/** Words that occur in every text, so they find none. They are indexed for phrases in quotation marks. */
export const stopWords: ReadonlySet<string> = new Set(english.split(/\s+/))

const spaceless = `的 了 是 在 我 你 他 她 它 们 这 那 就 也 都 和 与 及 吗 呢 吧 啊 呀 哦 嗯 很 有 不 着 过 得 地 被 把 还 又 会 要 能 可 以 么 什 怎 哪 谁
の に は を た が で て と し れ さ も な か ね よ`

/** Characters of grammar. Alone they find nothing; in a pair with another character they may. */
export const stopCharacters: ReadonlySet<string> = new Set(spaceless.split(/\s+/))
