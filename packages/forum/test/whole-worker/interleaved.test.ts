import { VirtualClock } from '@callboard/worker/testing'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { type ForumServer, startForumServer } from '../../src/demo/index.js'
import { type Answer, openWholeForum, type WholeForum } from '../support/whole-forum.js'
import { adminOf, inTime, writing } from './support.js'

const sessions = ['one', 'two', 'three'] as const
const places = ['keyed', 'open'] as const
type Place = (typeof places)[number]

// Selections and inboxes more often: what they leave behind is what could be taken for another's.
const kinds = [
  ...(['select', 'select', 'select', 'inbox', 'inbox', 'inbox'] as const),
  ...(['search', 'categories', 'post', 'draft', 'close', 'time'] as const),
]

const operation = fc.record({
  session: fc.constantFrom(...sessions),
  kind: fc.constantFrom(...kinds),
  place: fc.constantFrom(...places),
  /** What is begun before this one has ended. */
  isAtOnce: fc.boolean(),
  number: fc.integer({ min: 0, max: 3 }),
})
type Operation = typeof operation extends fc.Arbitrary<infer Value> ? Value : never

/** Two forums, of which one has a key; each has a category of its own, and a topic with a number that the other has too. */
async function openPlaces(clock: VirtualClock) {
  const open = async (title: string) => {
    const server = await startForumServer({ clock, village: false, title })
    server.forum.addUser('ada')
    server.forum.addCategory(`Only in ${title}`)
    const topic = server.forum.addTopic({ title: `Topic in ${title}`, username: 'ada', raw: `Written in ${title}` })
    return { server, topic }
  }
  return { keyed: await open('keyed'), open: await open('open') }
}
type Opened = Awaited<ReturnType<typeof openPlaces>>

/** Of one agent on one forum: what it has read and said so, and its last answer. */
interface Inbox {
  readonly read: Set<number>
  last: { readonly cursor: string; readonly ids: readonly number[] } | undefined
}

class Run {
  readonly #whole: WholeForum
  readonly #places: Opened
  readonly #inboxes = new Map<string, Inbox>()
  /** What the session must see. */
  readonly #selected = new Map<string, Place>()

  constructor(whole: WholeForum, opened: Opened) {
    this.#whole = whole
    this.#places = opened
  }

  /** Begins now; the promise tells whether all was as it must be for the forum that was selected when it began. */
  async does({ session, kind, place, number }: Operation): Promise<void> {
    const who = { session, principal: `agent:${session}` }
    const selected = this.#selected.get(session)
    if (kind === 'time') return this.#whole.clock.advance(number * 1_000)
    if (kind === 'close') return this.#close(session)
    if (kind === 'select') return this.#select(place, who)
    if (kind === 'inbox' && selected !== undefined) return this.#inbox(selected, number, who)
    const tool = tools[kind](this.#places[selected ?? 'keyed'].topic.id, number)
    const result = kind === 'categories' ? this.#categories(who) : this.#whole.link.callTool(tool.name, tool.args, who)
    const answer: Answer = await result
    if (selected === undefined) return void expect(errorOf(answer)).toMatchObject({ code: 'no_site_selected' })
    this.#isOf(selected, kind, answer)
  }

  /** With the cursor of the last answer, with none, or with that of the other forum, which is refused. */
  async #inbox(place: Place, number: number, who: { readonly session: string }): Promise<void> {
    const inbox = this.#inboxOf(who.session, place)
    const foreign = this.#inboxOf(who.session, place === 'keyed' ? 'open' : 'keyed').last?.cursor
    const isForeign = number === 0 && foreign !== undefined
    const passed = number === 1 ? undefined : inbox.last
    const cursor = isForeign ? foreign : passed?.cursor
    const known = new Set([...inbox.read, ...(passed?.ids ?? [])])
    const args = cursor === undefined ? {} : { cursor }
    const answer: Answer = await this.#whole.link.callTool('discourse_get_inbox', args, who)
    if (isForeign) return void expect(errorOf(answer)).toMatchObject({ code: 'invalid_arguments' })
    const { posts, meta } = answer.structuredContent
    const ids: number[] = posts.map(({ id }: { id: number }) => id)
    expect(ids.filter((id) => known.has(id))).toEqual([])
    for (const { raw } of posts) expect(raw).toMatch(place === 'open' ? /in open$/ : /in keyed$|^Reply/)
    for (const id of passed?.ids ?? []) inbox.read.add(id)
    inbox.last = { cursor: meta.cursor, ids }
  }

  #inboxOf(session: string, place: Place): Inbox {
    const key = `${session} ${place}`
    const inbox = this.#inboxes.get(key) ?? { read: new Set<number>(), last: undefined }
    this.#inboxes.set(key, inbox)
    return inbox
  }

  async #select(place: Place, who: { readonly session: string }): Promise<void> {
    const { base } = this.#places[place].server
    const result = await this.#whole.select(base, who)
    expect(result).toEqual({ site: base, title: place })
  }

  async #close(session: string): Promise<void> {
    await this.#whole.link.closeSession(session)
  }

  /** Before the operation is begun, as selections take effect in their order. */
  expects({ session, kind, place }: Operation): void {
    if (kind === 'select') this.#selected.set(session, place)
    if (kind === 'close') this.#selected.delete(session)
  }

  async #categories(who: { readonly session: string }): Promise<Answer> {
    try {
      return await this.#whole.read('discourse://site/categories', who)
    } catch (error) {
      return { error: (error as { readonly data: unknown }).data }
    }
  }

  #isOf(place: Place, kind: Operation['kind'], answer: Answer): void {
    const other = place === 'keyed' ? 'open' : 'keyed'
    expect(JSON.stringify(answer)).not.toContain(`in ${other}`)
    if (kind === 'search') expect(answer.structuredContent.results).toMatchObject([{ title: `Topic in ${place}` }])
    if (kind === 'categories') {
      const names = answer.categories.map(({ name }: { name: string }) => name)
      expect(names).toContain(`Only in ${place}`)
      // Staff sees more, and who may do what.
      expect(names.includes('Staff')).toBe(place === 'keyed')
      expect(answer.categories.some((row: object) => 'perms' in row)).toBe(place === 'keyed')
    }
    if (kind !== 'post' && kind !== 'draft') return
    if (place === 'open') expect(errorOf(answer)).toMatchObject({ code: 'tool_unavailable', outcome: 'rejected' })
    else expect(answer.structuredContent).toMatchObject({ outcome: 'done' })
  }

  /** Each session sees what it may do on its own forum, and nothing else. */
  seesItsTools(): void {
    for (const session of sessions) {
      const isWritable = this.#selected.get(session) === 'keyed'
      expect(this.#whole.toolsOf({ session }).includes('discourse_create_post'), session).toBe(isWritable)
    }
  }
}

function errorOf(answer: Answer): Answer {
  return answer.error ?? JSON.parse(answer.content[0].text)
}

const tools = {
  search: () => ({ name: 'discourse_search', args: { query: 'Topic' } }),
  categories: () => ({ name: '', args: {} }),
  post: (topic_id: number, number: number) => ({
    ...{ name: 'discourse_create_post', args: { topic_id, raw: `Reply with number ${number}` } },
  }),
  draft: (_: number, number: number) => ({
    ...{ name: 'discourse_save_draft', args: { draft_key: `new_topic_${number}`, reply: `Draft ${number}` } },
  }),
  inbox: () => ({ name: 'discourse_get_inbox', args: {} }),
}

it('agents on two forums through one worker never see, do or wait for what is the other’s', {
  timeout: 300_000,
}, async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(operation, { minLength: 20, maxLength: 50 }), async (operations) => {
      const clock = new VirtualClock()
      const opened = await openPlaces(clock)
      const { keyed, open } = opened
      const config = { ...writing, auth_pairs: [adminOf(keyed.server, 'mayor')] }
      const whole = await openWholeForum({ clock, config })
      try {
        await runAll(new Run(whole, opened), whole, operations)
        hasOnlyItsOwn(keyed.server, open.server)
        expect(whole.link.internalErrors).toEqual([])
      } finally {
        await whole[Symbol.asyncDispose]()
        await Promise.all([keyed.server.close(), open.server.close()])
      }
    }),
    { numRuns: 30 },
  )
})

/** Calls overlap as the operations say; selections do not wait for what their session has begun. */
async function runAll(run: Run, whole: WholeForum, operations: readonly Operation[]): Promise<void> {
  let begun: Promise<void>[] = []
  const settleAll = async () => {
    await inTime(whole, Promise.all(begun))
    begun = []
  }
  for (const each of operations) {
    const isSwitch = each.kind === 'select' || each.kind === 'close'
    // What a session has begun ends with it.
    if (each.kind === 'close') await settleAll()
    const doing = run.does(each)
    begun.push(doing)
    if (isSwitch) await inTime(whole, doing)
    run.expects(each)
    if (!each.isAtOnce) await settleAll()
    if (isSwitch) {
      await whole.link.settled()
      run.seesItsTools()
    }
  }
  await settleAll()
  run.seesItsTools()
}

function hasOnlyItsOwn(keyed: ForumServer, open: ForumServer): void {
  expect(open.seen(/^(POST|PUT|DELETE)/)).toEqual([])
  const { key } = keyed.keys.admin
  expect(keyed.requests.every(({ headers }) => headers['api-key'] === key)).toBe(true)
  expect(JSON.stringify(open.requests.map(({ headers, path }) => [headers, path]))).not.toContain(key)
  const times = keyed.seen(/^(POST|PUT|DELETE)/).map(({ at }) => at)
  for (const [index, at] of times.slice(1).entries()) expect(at - times[index]!).toBeGreaterThanOrEqual(1_000)
  const bodies = keyed.seen(/^POST/).map(({ body }) => body)
  expect(new Set(bodies).size, 'the same write within a few seconds is sent once').toBe(bodies.length)
}
