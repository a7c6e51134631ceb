import { z } from 'zod'
import { idAt, type JsonRecord, textAt } from '../../json/read-json.js'

export const topicRow = z.strictObject({ id: z.int(), slug: z.string(), title: z.string() })

export type TopicRow = z.output<typeof topicRow>

/** As lists of topics have it; nothing where it has no id. */
export function topicRowOf(topic: JsonRecord): TopicRow | undefined {
  const id = idAt(topic, 'id')
  return id === undefined ? undefined : { id, slug: slugOf(topic, id), title: titleOf(topic) }
}

/** `/t/5/5` is as good an address as `/t/its-title/5`. */
export function slugOf(topic: JsonRecord, id: number): string {
  return textAt(topic, 'slug') || String(id)
}

export function titleOf(topic: JsonRecord): string {
  return textAt(topic, 'title') ?? textAt(topic, 'fancy_title') ?? ''
}

/** Each topic once, where it came first. */
export function distinctTopics(rows: readonly TopicRow[]): TopicRow[] {
  const seen = new Set<number>()
  return rows.filter(({ id }) => !seen.has(id) && seen.add(id))
}
