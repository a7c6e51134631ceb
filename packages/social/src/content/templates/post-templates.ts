import type { Format } from '../content-writer.js'

/**
 * Text for any topic. It claims nothing: no facts, no numbers, no experiences; scenes say that they are imagined. The topic may
 * be singular or plural, so no verb agrees with it. `{Topic}` begins a line. At least three of each need the topic alone.
 */
export const postTemplates: Readonly<Record<Format, readonly string[]>> = {
  list: [
    'Three questions I would ask about {topic} before anything else:\n- What is it for?\n- Who will notice if it goes wrong?\n- What would be the smallest useful start?',
    'Before you put another hour into {topic}:\n- write down what good would look like\n- ask somebody who will have to live with it\n- decide what would make you stop',
    'Easy to say about {topic}, hard to do:\n- start smaller than you want to\n- show it earlier than you want to\n- throw away more than you want to',
    '{Topic}, for {audience}. What I would want to know first:\n- what it takes to begin\n- what it takes to keep going\n- what it takes to get out again',
  ],
  contrarian_take: [
    'An unpopular view of {topic}: the exciting part is not the part that decides. What decides is whether somebody still looks after it once it has become boring.',
    'I am not sure that more is the way forward with {topic}. More tools, more talk, more speed: I would rather see fewer promises, and all of them kept.',
    'Perhaps we should stop asking how to get better at {topic}, and ask what we could leave out. Leaving out is harder, and nobody claps for it. I still think that it is the better question.',
    'If I had to choose between cleverness in {topic} and {pillar}, I would not choose cleverness. It impresses once.',
  ],
  most_people_think_x: [
    'I suspect most people think of {topic} as something to get right at the start. I see it as something to keep correcting. The first version only has to be easy to change.',
    'It is tempting to think of {topic} as a question of knowing how. I think that it is more often a question of knowing why. The how tends to follow.',
    'Most people think, or so it seems to me, that {topic} can wait until the rest is done. I would turn that round: small and early beats complete and late.',
    'Mention {topic} to {audience}, and I imagine that many think of the effort first. I would begin with another question: what gets easier once it is done?',
  ],
  storytelling: [
    'Imagine a day on which something about {topic} goes wrong, and nobody notices until evening. No disaster, just a quiet mistake that grows. What would you wish you had put in place that morning? That is where I would start.',
    'A scene, made up but not far-fetched: two people work on {topic} for weeks, and each of them thinks that the other one has asked the people it is for. Nobody has. One short conversation on the first day would have done.',
    'Picture somebody new to {topic}. They do not ask how it all works. They ask what happens if nobody does anything. It is an awkward question, and I think that it is the right one.',
  ],
  before_after: [
    'Before: {topic} as a big plan for later.\nAfter: {topic} as one small thing that gets done this week.\nThe plan was never the point.',
    'Before: asking who is good at {topic}.\nAfter: asking who would like to be, and giving them time.\nI know which of the two I would rather be part of.',
    'Before you change anything about {topic}: write down what annoys you.\nAfter a month: read it again. If the list has changed, you are learning. If it has not, try changing something else.',
  ],
  question: [
    'A question about {topic} that I would love honest answers to: what did you expect to be hard that turned out to be easy?',
    'If you had to explain {topic} to somebody with five minutes and no patience, what would you leave out?',
    'What is the one thing about {topic} that you would tell yourself on the first day, if you could?',
    'To {audience}: what is still missing when it comes to {topic}? Small annoyances count.',
  ],
  tip: [
    'A small tip for {topic}: write down what you expect before you start. Afterwards it is hard to remember that you ever thought otherwise.',
    'Stuck with {topic}? Explain it aloud to somebody who has never heard of it. The sentence at which you hesitate is where to look next.',
    'One tip on {topic}: decide in advance what would make you stop. It is easier to be honest about that before there is anything to lose.',
    'A tip for {topic}, in the spirit of {pillar}: show the unfinished version. The questions that come back are worth more than another week of polish.',
  ],
}
