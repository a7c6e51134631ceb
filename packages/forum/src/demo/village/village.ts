import type { ForumModel } from '../forum-model.js'
import type { Topic } from '../model/entities.js'
import { type Said, villageTalk, wordChain } from './talk.js'

const hourMs = 3_600_000
const dayMs = 24 * hourMs

/** What every forum has: somebody who runs it, and places for topics. */
export function foundForum(forum: ForumModel): void {
  forum.addUser('mayor', {
    name: 'Maud Hollis',
    admin: true,
    moderator: true,
    trustLevel: 4,
    bio: 'Opens the hall at eight, and locks it when the last one leaves.',
  })
  forum.addCategory('General', { description: 'Whatever belongs nowhere else.' })
  forum.addCategory('Staff', { onlyFor: 'staff', color: 'B3261E', description: 'For those who keep the keys.' })
}

/** A small forum in which a bit of everything is going on. */
export function fillVillage(forum: ForumModel): void {
  addPeople(forum)
  addPlaces(forum)
  for (const talk of villageTalk) addTalk(forum, talk)
  addWordChain(forum)
  addChat(forum)
  addPrivateThings(forum)
}

function addPeople(forum: ForumModel): void {
  const joined = (days: number) => ({ createdAt: forum.now() - days * dayMs })
  forum.addUser('ada', { name: 'Ada Finch', bio: 'Keeps bees, and lists of what they visit.', ...joined(400) })
  forum.addUser('bob', { name: 'Bob Tanner', bio: 'Repairs bicycles behind the mill.', ...joined(380) })
  forum.addUser('cleo', {
    name: 'Cleo Marsh',
    moderator: true,
    trustLevel: 4,
    bio: 'Reads everything twice.',
    ...joined(300),
  })
  forum.addUser('dov', { name: 'Dov Lind', bio: null, trustLevel: 1, ...joined(40) })
  forum.addUser('esme', { name: 'Esme Rook', hidden: true, ...joined(200) })
  forum.addUser('newcomer', { name: null, trustLevel: 0, ...joined(1) })
  forum.addGroup('beekeepers', {
    members: new Set(['ada', 'dov']),
    publicAdmission: true,
    publicExit: true,
    messageable: 99,
  })
  forum.addGroup('choir', { members: new Set(['cleo', 'bob', 'esme']), allowRequests: true })
}

function addPlaces(forum: ForumModel): void {
  forum.addCategory('Help', { color: '2E7D32', description: 'Ask, and somebody will know.' })
  const garden = forum.addCategory('Garden', { color: '7CB342', description: 'Soil, seeds and slugs.' })
  forum.addCategory('Bees', { color: 'F9A825', parentId: garden.id, description: 'What hums.' })
  for (const tag of ['question', 'solved', 'event']) forum.boards.tag(tag)
  for (const tag of ['spring', 'summer', 'autumn', 'winter']) forum.boards.tag(tag, 'Seasons')
}

function addTalk(
  forum: ForumModel,
  { title, category, tags, daysAgo, closed = false, said }: (typeof villageTalk)[number],
): Topic {
  const start = forum.now() - daysAgo * dayMs
  const [first, ...replies] = said as readonly [Said, ...Said[]]
  const topic = forum.addTopic({ title, category, tags, username: first.by, raw: first.text, createdAt: start })
  for (const [index, { by, text, to }] of replies.entries()) {
    const createdAt = start + (index + 1) * 2 * hourMs
    forum.addPost(topic.id, { username: by, raw: text, createdAt, ...(to !== undefined && { replyTo: to }) })
  }
  topic.closed = closed
  return topic
}

/** Sixty posts, of which the seventh is gone: numbers are no positions. */
function addWordChain(forum: ForumModel): void {
  const players = ['ada', 'bob', 'cleo', 'dov'] as const
  const start = forum.now() - 9 * dayMs
  const raw = 'A word, and the next begins with its last letter. I begin.'
  const topic = forum.addTopic({ title: 'Word chain', category: 'General', username: 'ada', raw, createdAt: start })
  for (const [index, word] of wordChain.entries()) {
    const username = players[(index + 1) % players.length]!
    forum.addPost(topic.id, { username, raw: `My word is **${word}**.`, createdAt: start + (index + 1) * hourMs })
  }
  forum.deletePost(topic.posts[6]!.id)
}

function addChat(forum: ForumModel): void {
  const at = (minutes: number) => ({ createdAt: forum.now() - minutes * 60_000 })
  const members = ['mayor', 'ada', 'bob', 'cleo']
  const square = forum.addChannel('Market square', { description: 'Who passes by says hello.', members })
  const kitchen = forum.addChannel('Kitchen', {
    description: 'What is for supper on Friday.',
    members: ['ada', 'cleo'],
  })
  forum.addChannel('Old notices', { status: 'archived', members: ['mayor'] })
  const letter = forum.addChannel('ada, bob', { kind: 'dm', members: ['ada', 'bob'] })
  const asked = forum.addMessage(square.id, { username: 'bob', message: 'Has anybody seen a red pump?', ...at(90) })
  const answer = { username: 'cleo', message: 'On the bench by the well.', inReplyTo: asked.id, edited: true }
  forum.addMessage(square.id, { ...answer, ...at(80) })
  forum.addMessage(square.id, {
    username: 'bob',
    message: 'You are a treasure. @ada, it was yours, wasn’t it?',
    ...at(75),
  })
  forum.addMessage(kitchen.id, { username: 'cleo', message: 'Soup or dumplings?', ...at(50) })
  forum.addMessage(letter.id, { username: 'bob', message: 'Your wheel is done, come by whenever you like.', ...at(20) })
}

function addPrivateThings(forum: ForumModel): void {
  const createdAt = forum.now() - dayMs
  const message = forum.addTopic({
    title: 'The key to the hall',
    username: 'mayor',
    raw: 'Could you open the hall on Friday? I am at the coast until noon.',
    recipients: ['ada'],
    createdAt,
  })
  forum.notify('ada', { type: 6, topicId: message.id, postNumber: 1, data: { topic_title: message.title }, createdAt })
  const frames = [...forum.topics.values()].find(({ slug }) => slug === 'which-frames-for-a-first-hive')!
  forum.notify('ada', { type: 2, topicId: frames.id, postNumber: 3, data: { display_username: 'dov' }, createdAt })
  forum.notify('ada', {
    type: 5,
    topicId: frames.id,
    postNumber: 2,
    data: { display_username: 'bob' },
    read: true,
    createdAt,
  })
  const data = {
    reply: 'Three things that I learned about swarms',
    action: 'createTopic',
    title: 'Swarms in May',
    categoryId: 5,
    tags: [],
  }
  forum.drafts.save(forum.users.get('ada'), 'new_topic', 0, JSON.stringify(data))
  // What somebody so new writes waits for a moderator.
  forum.moderate.add('newcomer')
  const held = {
    username: 'newcomer',
    raw: 'Hello, I moved in above the bakery last week.',
    topicId: 11,
    title: null,
    categoryId: null,
  }
  forum.hold({ ...held, tags: [] })
}
