export interface Said {
  readonly by: string
  readonly text: string
  /** The number of the post that it answers. */
  readonly to?: number
}

export interface Talk {
  readonly title: string
  readonly category: string
  readonly tags: readonly string[]
  readonly daysAgo: number
  readonly closed?: boolean
  readonly said: readonly Said[]
}

/** What people in the village talk about; the first words open the topic. */
export const villageTalk: readonly Talk[] = [
  {
    title: 'Welcome to the village',
    category: 'General',
    tags: [],
    daysAgo: 390,
    said: [
      {
        by: 'mayor',
        text: 'Come in, and say who you are.\n\nThe board by the door says where things are; for all else ask in **Help**.',
      },
      { by: 'ada', text: 'Ada, from the house with the hives. Honey is on the doorstep on Sundays.' },
      { by: 'bob', text: 'Bob. If it has wheels, bring it.' },
      { by: 'dov', text: 'Dov, new here. Is the honey for everybody?' },
      { by: 'ada', text: 'For everybody with a jar.', to: 4 },
    ],
  },
  {
    title: 'Which frames for a first hive?',
    category: 'Bees',
    tags: ['question', 'spring'],
    daysAgo: 12,
    said: [
      { by: 'dov', text: 'I would like to begin with one hive this spring. Wood or plastic frames?' },
      {
        by: 'ada',
        text: 'Wood. They can be mended, and the bees don’t mind splinters. Take ten, and wire them before you need them.',
      },
      { by: 'dov', text: 'Thank you! How thick a wire?', to: 2 },
      { by: 'ada', text: 'Half a millimetre, stainless. I have a roll left, come by.', to: 3 },
    ],
  },
  {
    title: 'My chain jumps in the smallest gear',
    category: 'Help',
    tags: ['question', 'solved'],
    daysAgo: 30,
    closed: true,
    said: [
      { by: 'cleo', text: 'Only uphill, and only in the smallest gear. I have cleaned everything twice.' },
      { by: 'bob', text: 'Then it is the cassette. Look at the teeth: are they like waves that lean over?' },
      { by: 'cleo', text: 'Like the sea in a storm.' },
      { by: 'bob', text: 'New cassette, new chain. Thursday after four?' },
      { by: 'cleo', text: 'It runs like new. Closed, with thanks.' },
    ],
  },
  {
    title: 'Lantern walk on the last Friday of November',
    category: 'General',
    tags: ['event', 'autumn'],
    daysAgo: 6,
    said: [
      { by: 'mayor', text: 'We meet at the well at five and walk to the mill. Bring a lantern, not a torch.' },
      { by: 'esme', text: 'I can bring twelve paper lanterns that need somebody to carry them.' },
      { by: 'bob', text: 'Four for my trailer, please.', to: 2 },
      { by: 'cleo', text: 'The choir will be at the mill. We have learned one song and a half.' },
    ],
  },
  {
    title: 'Slugs: what has worked for you?',
    category: 'Garden',
    tags: ['question', 'summer'],
    daysAgo: 120,
    said: [
      { by: 'esme', text: 'They have eaten all the lettuce and looked at me while they did.' },
      { by: 'ada', text: 'A board on the ground overnight, and an early walk with a bucket.' },
      { by: 'dov', text: 'Two ducks. They are also good company.' },
    ],
  },
  {
    title: 'The pump at the well is slow',
    category: 'Help',
    tags: ['question'],
    daysAgo: 2,
    said: [
      { by: 'dov', text: 'It takes forty strokes for a bucket since Monday. Does anybody know how it comes apart?' },
    ],
  },
  {
    title: 'Who has the second key?',
    category: 'Staff',
    tags: [],
    daysAgo: 3,
    said: [
      { by: 'mayor', text: 'The hook is empty.' },
      { by: 'cleo', text: 'It is in my coat. I am sorry.' },
    ],
  },
]

/** Fifty-nine words. */
export const wordChain: readonly string[] = (
  'apple elm mushroom mint thistle egg garden nettle eel lamp pear robin nest thimble ember rain needle elder river ' +
  'raft tomato oak kettle echo owl lantern night twig grape east tunnel ladder rope edge evening goat tea acorn nut ' +
  'tulip path harvest tower rye engine ebb bell loaf field dew well lake eagle ear rust table end daisy yarn'
).split(' ')
