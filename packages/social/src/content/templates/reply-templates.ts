import type { Archetype } from '../content-writer.js'

/**
 * Replies to posts that nobody has understood: they claim nothing of their author and nothing of us, and ask where they would
 * have to claim. `{keyword}` is a word of our own profile that the post has, as it writes it, singular or plural. Two sentences at most.
 */
export const replyTemplates: Readonly<
  Record<Archetype, { readonly onKeyword: readonly string[]; readonly onAnything: readonly string[] }>
> = {
  agree_and_expand: {
    onKeyword: [
      'Well put. With {keyword}, I would add the step after this one: what happens once the first excitement is gone?',
      "I agree, and I think it goes beyond {keyword}: the same question comes up wherever people have to rely on each other's work.",
      'Yes. And what I like about looking at {keyword} this way is that anybody can start small and find out.',
    ],
    onAnything: [
      'Well put. I would go one step further: the part that sounds obvious here is the part that is easy to skip.',
      'I agree. It also makes me think of those who have to live with the result, and whether anybody asks them.',
      'Yes, and I would add one thing: it gets easier once somebody says it out loud, as you just did.',
    ],
  },
  ask_question: {
    onKeyword: [
      'Interesting. Where would you start with {keyword} if you had to begin again from nothing?',
      'What made you look at {keyword} this way? I would like to understand how you got there.',
      'Thanks for sharing this. What do you wish more people asked about {keyword}?',
    ],
    onAnything: [
      'Interesting. What would have to change for you to see it differently?',
      'What led you to this? I would like to understand how you got there.',
      'Thanks for sharing this. Which part of it do you think gets too little attention?',
    ],
  },
  share_experience: {
    onKeyword: [
      'I would rather hear an experience with {keyword} than one more opinion, my own included. What has yours been like?',
      'With {keyword}, I suspect that one learns by doing. How does it look for you in practice?',
      'I think one honest account of {keyword} is worth a stack of guides. Would you tell a little more of yours?',
    ],
    onAnything: [
      'I would rather hear an experience here than one more opinion, my own included. What has yours been like?',
      'This sounds like something that one learns by doing. How does it look for you in practice?',
      'I think one honest account is worth a stack of guides. Would you tell a little more of yours?',
    ],
  },
  add_data: {
    onKeyword: [
      'It would be good to have numbers for this. Does anybody know of a measurement of {keyword} that one can check?',
      'Before taking a side on {keyword} I would want to know what was counted, by whom, and over what time. Is there a source that you trust?',
      'What would one have to measure about {keyword} to settle this? I would look for something that both sides accept beforehand.',
    ],
    onAnything: [
      'It would be good to have numbers for this. Does anybody know of a measurement that one can check?',
      'Before taking a side I would want to know what was counted, by whom, and over what time. Is there a source that you trust?',
      'What would one have to measure to settle this? I would look for something that both sides accept beforehand.',
    ],
  },
  respectful_disagree: {
    onKeyword: [
      'I see it a little differently. With {keyword}, I would worry less about being wrong and more about not noticing it.',
      'I am not sure that I agree. With {keyword}, it seems to me that a lot depends on who carries the risk.',
      'A respectful objection: what holds for {keyword} in one place need not hold in the next. Where do you think it stops being true?',
    ],
    onAnything: [
      'I see it a little differently: I would worry less about being wrong here and more about not noticing it.',
      'I am not sure that I agree. It seems to me that a lot depends on who carries the risk.',
      'A respectful objection: what holds in one place need not hold in the next. Where do you think it stops being true?',
    ],
  },
}

/** Behind a reply that is to name the product: whose it is belongs to it. */
export const productTemplates: readonly string[] = [
  'I am with {product}, so take this with a pinch of salt.',
  'For what it is worth: I am with {product}, so I am not neutral here.',
  'Full disclosure: I am with {product}.',
]
