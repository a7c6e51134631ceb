/** A small study of our own making: what people of a village say about its community garden. */
export interface DemoSource {
  readonly name: string
  readonly memo: string
  readonly text: string
}

export interface DemoCoding {
  readonly source: string
  readonly code: string
  readonly coder: string
  /** Stands in the text once. */
  readonly quote: string
  readonly memo?: string
}

export const coders = { ada: 'Ada', ben: 'Ben' } as const

export const sources: readonly DemoSource[] = [
  {
    name: 'Interview Mira.txt',
    memo: 'At her kitchen table, in April.',
    text: `Interviewer: How did you come to the garden?
Mira: My neighbour took me along. I had never grown anything, not even cress.
I was afraid of doing it wrong in front of people who know.
Interviewer: And today?
Mira: Today I show others how to sow carrots. I am proud of that, I must say. 🥕
When something fails, we laugh about it together. That was not so where I lived before.
Interviewer: What would you miss?
Mira: The Saturdays. One comes for the beans and stays for the people.`,
  },
  {
    name: 'Interview Jonas.txt',
    memo: 'By telephone; the line broke off once.',
    text: `Interviewer: What is your part in the garden?
Jonas: I look after the water. When the pump stops, everybody calls me, also at night.
Honestly, some weeks it is too much. I have a job and two children.
Interviewer: Why do you go on?
Jonas: Because it is ours. Nobody gave it to us; we cleared that ground with our own hands.
And my children know where a tomato comes from 🍅. That is worth a night now and then.`,
  },
  {
    name: 'Interview Selma.txt',
    memo: 'Selma chaired the first assembly.',
    text: `Interviewer: How are things decided?
Selma: In the assembly, by show of hands. It takes long, and in the end most can live with it.
Interviewer: Most?
Selma: There was a quarrel over the compost — yes, over the compost! Two families left.
I still ask myself whether I should have spoken with them earlier.
Interviewer: What did you learn?
Selma: That one has to share the work openly, or the same five people do it all, and become bitter.`,
  },
  {
    name: 'Field notes May.txt',
    memo: '',
    text: `Saturday, 9 to 12. Fourteen people, five of them children.
The pump fails at ten; Jonas repairs it, others carry water in cans without being asked.
Selma writes the tasks on the board. Each name appears once, which is new.
Mira helps a newcomer with the seedlings; they talk about their grandmothers' gardens. 👩‍🌾`,
  },
]

export const categories = ['Feelings', 'Living together', 'Work'] as const

export const codes: readonly {
  readonly name: string
  readonly color: string
  readonly category: string
  readonly memo: string
}[] = [
  { name: 'Pride', color: '#F7D358', category: 'Feelings', memo: 'Being proud of what one can do or has done.' },
  {
    name: 'Fear of failing',
    color: '#F78181',
    category: 'Feelings',
    memo: 'Worry about doing it wrong, or having done so.',
  },
  { name: 'Belonging', color: '#81F7F3', category: 'Living together', memo: 'Being part of it, with others.' },
  { name: 'Conflict', color: '#FA8258', category: 'Living together', memo: 'Quarrels, and what comes of them.' },
  { name: 'Burden', color: '#BE81F7', category: 'Work', memo: 'Where it is too much for somebody.' },
  { name: 'Sharing work', color: '#81BEF7', category: 'Work', memo: 'Who does what, and how that is settled.' },
]

const { ada, ben } = coders

export const codings: readonly DemoCoding[] = [
  {
    source: 'Interview Mira.txt',
    code: 'Fear of failing',
    coder: ada,
    quote: 'I was afraid of doing it wrong in front of people who know.',
  },
  {
    source: 'Interview Mira.txt',
    code: 'Pride',
    coder: ada,
    quote: 'I am proud of that, I must say. 🥕',
    memo: 'From learner to teacher in a year.',
  },
  {
    source: 'Interview Mira.txt',
    code: 'Belonging',
    coder: ada,
    quote: 'When something fails, we laugh about it together.',
  },
  {
    source: 'Interview Mira.txt',
    code: 'Belonging',
    coder: ben,
    quote: 'One comes for the beans and stays for the people.',
  },
  { source: 'Interview Jonas.txt', code: 'Burden', coder: ada, quote: 'Honestly, some weeks it is too much.' },
  {
    source: 'Interview Jonas.txt',
    code: 'Burden',
    coder: ben,
    quote: 'some weeks it is too much. I have a job and two children.',
  },
  { source: 'Interview Jonas.txt', code: 'Pride', coder: ben, quote: 'we cleared that ground with our own hands' },
  {
    source: 'Interview Selma.txt',
    code: 'Conflict',
    coder: ada,
    quote: 'There was a quarrel over the compost — yes, over the compost! Two families left.',
  },
  {
    source: 'Interview Selma.txt',
    code: 'Fear of failing',
    coder: ben,
    quote: 'I still ask myself whether I should have spoken with them earlier.',
  },
  { source: 'Interview Selma.txt', code: 'Sharing work', coder: ada, quote: 'one has to share the work openly' },
  {
    source: 'Field notes May.txt',
    code: 'Sharing work',
    coder: ada,
    quote: 'others carry water in cans without being asked',
  },
]

export const cases: readonly {
  readonly name: string
  readonly source: string
  readonly role: string
  readonly years: string
}[] = [
  { name: 'Mira', source: 'Interview Mira.txt', role: 'gardener', years: '2' },
  { name: 'Jonas', source: 'Interview Jonas.txt', role: 'keeper of the pump', years: '6' },
  { name: 'Selma', source: 'Interview Selma.txt', role: 'chair', years: '7' },
]

export const journal = {
  name: 'First impressions',
  text: 'Pride and burden come from the same people. Look for both in the next interviews.',
} as const
