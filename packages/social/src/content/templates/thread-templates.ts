import type { Structure } from '../content-writer.js'

/** Variants of each part. `steps` are in order; a short thread has the first of them, and `last` sums up no others than the first three. */
export interface ThreadTemplates {
  readonly hook: readonly string[]
  readonly steps: readonly (readonly string[])[]
  readonly last: readonly string[]
}

/** As for posts: for any topic, and nothing is claimed. Every part can be read on its own. */
export const threadTemplates: Readonly<Record<Structure, ThreadTemplates>> = {
  transformation: {
    hook: [
      'How does one get from "we should do something about {topic}" to something that works? A thread about the way, not about the destination.',
      '{Topic}: from good intentions to a habit. Here is how I would go about it, step by step.',
      'Changing how you deal with {topic} does not begin with a decision. It begins with looking. A short thread.',
    ],
    steps: [
      [
        'Start with how things are, not with how they should be. Spend a week only writing down what happens around {topic}, without judging it.',
        'The honest picture first: who does what today, who waits for whom, what gets forgotten. No blame, just notes.',
        'The first step is to look. What do you do about {topic} now, out of habit, that nobody ever decided?',
      ],
      [
        "Then choose the one thing that annoys you most, and leave the rest alone. A change that touches everything at once can't be told apart from chaos.",
        'Next, pick a single thing to change. Not the most important one: the one whose effect you will see soonest.',
        'Now narrow it down. If you could change only one thing about {topic}, and nothing else for a month, which would it be?',
      ],
      [
        'Say what better would look like before you begin. One sentence is enough, if somebody else can tell whether it has come true.',
        'Write down how you will know that it worked. Otherwise every result will look like the one that you hoped for.',
        'Agree on a sign of success that does not need explaining. If it takes a meeting to read it, choose another one.',
      ],
      [
        'Try it where a mistake is cheap. The aim of the first round is to learn, and it is fine if nothing else comes of it.',
        'Make the first attempt small enough to throw away. What you keep is what you learnt.',
        'Begin in one corner, with people who volunteer. They forgive rough edges, and tell you about them.',
      ],
      [
        'Ask those who live with the result. Not whether they like it: what they have to do differently because of it.',
        "Listen to whoever was not in the room when it was decided. They see {topic} from a side that you don't.",
        'Then ask around, and take complaints as directions. Somebody who complains still cares.',
      ],
      [
        'Decide what to keep, what to change and what to undo. Undoing is not failure; it is the reason for starting small.',
        'Keep what worked, say plainly what did not, and write both down for whoever comes next.',
        'And then make it normal: a fixed time to look at it again, even when nothing seems wrong.',
      ],
    ],
    last: [
      'Look first, choose one thing, say what better means. The rest follows from there. What would your first step with {topic} be?',
      'In short: I would take small steps, seen honestly, over a big plan. If you try one with {topic}, I would like to hear how it goes.',
      'None of this is quick, and none of it is hard. Take the first step this week; the others can wait.',
    ],
  },
  framework: {
    hook: [
      'A simple way to think about {topic}, in a few questions. No theory, only questions that one can answer.',
      'For anything as big as {topic} I would start with questions, not with answers. These are the ones that I would ask first.',
      'How do you decide anything about {topic} without arguing in circles? A framework made of plain questions.',
    ],
    steps: [
      [
        'What is it for? If the answer needs more than one sentence, there are probably several things hiding in it.',
        'Whose problem does it solve? Name a person, not a group.',
        'Begin with the purpose. What would be missed if nobody did anything about {topic} at all?',
      ],
      [
        'Who is affected, and who decides? If these are not the same people, write down how they talk to each other.',
        'Who has to say yes, and who only has to know? Mixing the two up costs time and goodwill.',
        'Then the people. Who carries the work, who carries the risk, and are they the same?',
      ],
      [
        'What does it cost, and what does it cost to stop? The second answer is the more interesting one.',
        'What has to be given up for it? There is always something, even if it is only attention.',
        "Next, the price. Not only money: time, attention, and what you can't do meanwhile.",
      ],
      [
        'How would you notice that you are wrong? Decide it now, while nobody has anything to defend.',
        'What would change your mind? If nothing would, it is not a decision but a belief.',
        'Look for the sign that tells you early whether {topic} will work out. Early and rough beats late and exact.',
      ],
      [
        'What is the smallest version that would teach you something? Do that one, then ask again.',
        'What could you try within a week, without asking for permission?',
        'Find a step that can be undone. You can afford to take it sooner.',
      ],
      [
        'When will you look at it again? Put it in the calendar, or it will not happen.',
        'Who will ask the same questions in half a year? Leave them your notes: the reasons, not only the results.',
        'And leave room for surprise. A framework is good for starting a conversation about {topic}, not for ending it.',
      ],
    ],
    last: [
      'What for, who, at what price: with these answered, the rest gets easier. Which question about {topic} would you add?',
      'That is the whole framework. Take the questions that help, and leave the others. What would you ask first?',
      'A framework decides nothing for you. It only makes sure that you have asked. Try it on {topic}, and change what does not fit.',
    ],
  },
  mistakes: {
    hook: [
      'Mistakes that are easy to make with {topic}, and what I would try instead. None of them is stupid; that is what makes them easy.',
      'If I wanted {topic} to go wrong, this is how I would do it. A thread to be read as a warning.',
      'A few traps around {topic} that look like good ideas at first sight.',
    ],
    steps: [
      [
        'Starting too big. It feels serious, and it hides every small mistake behind a large one. Start with what fits into a week.',
        'Planning all of it before trying any of it. A plan is a guess; a small trial is an answer.',
        'Waiting for the perfect moment. It does not come, but there is a smallest step, and it can be taken now.',
      ],
      [
        'Not asking the people it is for. Guessing is quicker, until you find out that you guessed wrong. Ask one of them today.',
        'Deciding for others what {topic} should mean to them. Ask first; you may have to build less than you thought.',
        "Listening only to those who agree. Invite one person who doesn't, and let them speak first.",
      ],
      [
        'Not saying what success would be. Then everything is one, or nothing is. Write down one sign before you begin.',
        'Measuring what is easy to count instead of what matters. If the number can rise while things get worse, choose another one.',
        'Changing several things at once. Whatever happens, you will not know why. One change, one look, then the next.',
      ],
      [
        'Hiding what does not work yet. It comes out anyway, only later. Say it early, in plain words.',
        'Making it look easy. Whoever comes next will think that they are the problem. Leave the rough edges visible.',
        'Keeping the reasons in one head. Write down why, not only what; the what can be seen anyway.',
      ],
      [
        'Going on because so much has been put in already. What is spent is spent; ask only whether you would begin it again today.',
        'Having no way back. Before each step, know how you would undo it. It makes you braver, not slower.',
        'Defending a decision instead of checking it. Ask what you would need to see to change your mind.',
      ],
      [
        'Thinking that it is done. Set a date to look at {topic} again, and keep it.',
        'Forgetting to thank those who do the dull part. Without them there is no other part.',
        'Copying what others do without asking why they do it. Their reasons may not be yours.',
      ],
    ],
    last: [
      'So I would start small, ask early, and say what I am looking for. Which mistake with {topic} would you add to the list?',
      'If you recognise one of these: welcome, you are in good company. Pick one, and do the opposite this week.',
      'The list is not complete, and never will be. What would you warn somebody about who is new to {topic}?',
    ],
  },
  analysis: {
    hook: [
      "Why is it so hard to agree on {topic}? I don't have the answer, but I think that one can take the question apart.",
      'Let us look at {topic} from a few sides, before taking one of them.',
      'Behind a debate about {topic} there are a few quieter questions. A try at sorting them.',
    ],
    steps: [
      [
        'Begin with what people want. Perhaps they do not want different things, but the same things in a different order.',
        'What is not in dispute? It is worth saying aloud, because it may be more than it seems.',
        'Words come first. When two people say {topic}, do they mean the same thing? It is worth asking before answering.',
      ],
      [
        'Then the forces at work: habit, cost, the fear of looking foolish. None of them is an argument, and all of them count.',
        "Look at who gains from things staying as they are. Not to accuse anybody: it can explain what arguments alone can't.",
        'Consider what gets rewarded. If doing the right thing is also the tiresome thing, good will alone has a hard time.',
      ],
      [
        'What speaks for change: the present way has a price, too, only one that we are used to paying.',
        'The best argument for doing more about {topic}, as I see it: it keeps choices open for those who come later.',
        'In favour: trying something small costs little, and what is learnt stays, even if the thing itself does not.',
      ],
      [
        'What speaks against: every change asks something of people who did not ask for it. That deserves a better answer than a shrug.',
        'The best argument for caution: what works, however badly, has been tested by life. What is new has not.',
        'Against: attention is limited. Whatever goes into {topic} is missing elsewhere, and somebody should say where.',
      ],
      [
        "What I don't know is how it looks from where others stand. One conversation would help more than another thread.",
        'An open question is what would count as evidence. As long as that is not settled, more evidence settles nothing.',
        'And there is what nobody can know in advance. For that part, a way back is worth more than a forecast.',
      ],
      [
        'What follows? I would say: choose what can be undone, do it soon, and watch closely.',
        'So it may be less a question of right or wrong than of order: what first, what later, what not at all.',
        'That leaves me with less certainty and better questions, which seems a fair trade.',
      ],
    ],
    last: [
      'So much for the sides that I can see. Which side of {topic} is missing?',
      'To sum up: ask what people mean, see what holds them, and weigh the price of doing nothing as well. What would you add?',
      'No verdict from me, then, but an invitation: take the strongest argument against your own view of {topic}, and answer it kindly.',
    ],
  },
}
