/** Each line: a word, then the forms of it that no rule finds. What is also a common word of its own (`left`, `saw`) stands here too. */
const forms = `be been
bear bore borne
beat beaten
become became
begin began begun
bend bent
bite bit bitten
blow blew blown
break broke broken
bring brought
build built
burn burnt
buy bought
catch caught
choose chose chosen
come came
cut cutting
dig dug
draw drew drawn
dream dreamt
drink drank drunk
drive drove driven
eat ate eaten
fall fell fallen
feed fed
feel felt
fight fought
find found
fly flew flown flies
forget forgot forgotten
forgive forgave forgiven
freeze froze frozen
get got gotten getting
give gave given
go went gone goes
grow grew grown
hang hung
have had has
hear heard
hide hid hidden
hit hitting
hold held
keep kept
know knew known
lead led
learn learnt
leave left leaving
lend lent
lie lay lain lying
light lit
lose lost losing
make made making
mean meant
meet met meeting
pay paid
put putting
quit quitting
read reading
ride rode ridden
ring rang rung
rise rose risen
run ran running
say said
see saw seen
seek sought
sell sold
send sent
set setting
sew sewn
shake shook shaken
shine shone
shoot shot
show shown
sing sang sung
sink sank sunk
sit sat sitting
sleep slept
speak spoke spoken
spend spent
spill spilt
stand stood
steal stole stolen
stick stuck
sweep swept
swim swam swum swimming
swing swung
take took taken taking
teach taught
tear tore torn
tell told
think thought
throw threw thrown
understand understood
wake woke woken
wear wore worn
win won winning
write wrote written writing
child children
foot feet
goose geese
knife knives
leaf leaves
life lives
man men
mouse mice
person people
shelf shelves
tooth teeth
wife wives
wolf wolves
woman women
half halves
good better best
bad worse worst`

/** The plain form of an irregular one; undefined for a word that goes by rule. */
export const irregularForms: ReadonlyMap<string, string> = new Map(
  forms.split("\n").flatMap((line) => {
    const [plain = "", ...others] = line.split(" ")
    return others.map((other) => [other, plain] as const)
  }),
)
