import { expect, it } from 'vitest'
import { type Answer, ada, type WholeForum } from '../support/whole-forum.js'
import { inTime, writable } from './support.js'

const count = 10_000
const perPage = 50

it.each([
  ['with the ids of all posts', 20_000],
  ['without them', 1_000],
])(
  'a topic of 10,000 posts is read page by page, each post once and no faster than the forum allows: %s',
  { timeout: 180_000 },
  async (_, megaTopicPosts) => {
    const { server, whole } = await writable({ megaTopicPosts })
    const topic = server.forum.addTopic({ title: 'A long one', username: 'ada', raw: 'Post number 1 of A long one' })
    server.forum.addPosts(topic.id, count - 1)
    server.forgetRequests()
    const numbers: number[] = []
    let waits = 0
    const waited = () => {
      waits += 1
    }
    let start: number | null = 1
    for (let pages = 0; start !== null; pages += 1) {
      expect(pages).toBeLessThan(count / perPage)
      const args = { topic_id: topic.id, post_limit: perPage, start_post_number: start }
      const { posts, meta }: Answer = await patiently(whole, 'discourse_read_topic', args, waited)
      for (const { post_number, raw } of posts) {
        expect(raw).toBe(`Post number ${post_number} of A long one`)
        numbers.push(post_number)
      }
      start = meta.next_post_number
      expect(start !== null).toBe(meta.has_more)
    }
    expect(numbers).toEqual(Array.from({ length: count }, (_, index) => index + 1))
    const times = server.requests.map(({ at }) => at)
    // A window with the first posts of a page, and two with those that are missing; else four windows.
    const perAnswer = megaTopicPosts > count ? 3 : 4
    expect(times.length).toBeLessThanOrEqual((count / perPage) * perAnswer + waits * (perAnswer - 1))
    // An admin's key: 60 a minute.
    for (const [index, at] of times.entries()) {
      const later = times[index + 60]
      if (later !== undefined) expect(later - at).toBeGreaterThanOrEqual(60_000)
    }
  },
)

/** As a client does that is told when to come again. */
async function patiently(whole: WholeForum, tool: string, args: object, waited: () => void): Promise<Answer> {
  for (;;) {
    const { structuredContent, _meta } = await inTime(whole, whole.link.callTool(tool, args as never, ada))
    if (structuredContent !== undefined) return structuredContent
    const error: Answer = _meta?.['callboard/error']
    expect(error).toMatchObject({ code: 'rate_limited', retryable: true })
    waited()
    whole.clock.advance(error.retryAfterMs)
  }
}
