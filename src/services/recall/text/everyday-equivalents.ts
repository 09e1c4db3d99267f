import { englishStem } from "./english-stem.ts"

/** Each line: words that people use for the same thing, the first for all of them. Only what is the same, never what is alike. */
const groups = `mother mom mum mama mommy mummy
father dad daddy papa
grandmother grandma granny nana
grandfather grandpa granddad
brother bro
sister sis
child kid
parent folks
husband hubby
baby infant
friend buddy pal
photograph photo pic picture snapshot
television tv telly
telephone phone cellphone smartphone
bicycle bike
automobile car auto
movie film
refrigerator fridge
vacation holiday getaway
apartment flat
doctor physician doc
dog puppy pup doggo
cat kitten kitty
job employment career
university uni college
mathematics math maths
exam examination test
laboratory lab
gymnasium gym
advertisement ad advert
favorite favourite fav
color colour
neighbor neighbour
theater theatre
center centre
gray grey
flavor flavour
honor honour
jewelry jewellery
begin start
purchase buy
assist help
shop store
sick ill
quick fast
big large
small little
happy glad
scared afraid
sofa couch
gift present
birthday bday
cookie biscuit
airplane plane aeroplane
lady woman
guy man
marry wed
attorney lawyer
cash money`

/** The stem that stands for its whole group, by the stem of each other word in it. */
export const everydayEquivalents: ReadonlyMap<string, string> = new Map(
  groups.split("\n").flatMap((line) => {
    const [first = "", ...others] = line.split(" ").map(englishStem)
    return others.map((other) => [other, first] as const)
  }),
)
