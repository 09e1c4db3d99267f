const english = `a about above after again against all also am an and any are aren't as at be because been before being below between
both but by can can't cannot could couldn't did didn't do does doesn't doing don't down during each either else ever few for from
further get gets getting give given gives go goes going gonna got had hadn't has hasn't have haven't having he he'd he'll he's her
here hers herself hey hi him himself his how how's i i'd i'll i'm i've if in into is isn't it it's its itself just let let's like
make makes may me might mine more most much must my myself no nor not now of off oh ok okay on once one only onto or other our ours
ourselves out over own please really same she she'd she'll she's should shouldn't since so some something such than that that's the
their theirs them themselves then there there's these they they'd they'll they're they've thing things this those through to too
under until up upon us very wanna was wasn't we we'd we'll we're we've were weren't what what's when when's where where's which
while who who's whom whose why why's will with within without won't would wouldn't yeah yes you you'd you'll you're you've your
yours yourself yourselves`

/** Words that tell no text from another. They are indexed all the same, for what is quoted. */
export const stopWords: ReadonlySet<string> = new Set(english.split(/\s+/))

const spaceless = `的 了 是 在 我 你 他 她 它 们 这 那 就 也 都 和 与 及 吗 呢 吧 啊 呀 哦 嗯 很 有 不 着 过 得 地 被 把 还 又 会 要 能 可 以 么 什 怎 哪 谁
の に は を た が で て と し れ さ も な か ね よ`

/** Characters of grammar. Alone they tell nothing; in a pair with another one they may. */
export const stopCharacters: ReadonlySet<string> = new Set(spaceless.split(/\s+/))
