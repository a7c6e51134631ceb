import type { Item } from './items.js'
import { fromNow } from './time-span.js'
import { quoted, visible } from './visible.js'

/** Everything that becomes public, and what a person has to know to decide on it. `now`: UTC ms. */
export function describeItem(item: Item, now: number): string {
  return [
    `Item ${item.id}: ${visible(`${item.action_type} on ${item.network} as ${item.account}`)}, ${visible(item.status)}`,
    ...facts(item, now).map(([name, value]) => `  ${name.padEnd(12)}${visible(value)}`),
    ...replyLines(item),
    ...item.parts.flatMap((_, index) => partLines(item, index)),
    ...riskLines(item),
    ...outboxLines(item, now),
    ...revisionLines(item),
  ].join('\n')
}

function facts(item: Item, now: number): readonly (readonly [name: string, value: string])[] {
  const when = (time: string) => `${time} (${fromNow(time, now)})`
  const optional = (name: string, value: string | null | undefined) =>
    value === null || value === undefined ? [] : [[name, value] as const]
  return [
    ['proposed', `${when(item.created_at)} by ${item.owner}, ${item.origin}`],
    ...optional('written by', item.generated_by),
    ...optional('topic', item.topic),
    ...optional('form', item.archetype),
    ...optional('score', item.score?.toString()),
    ...optional('seen by', item.visibility),
    ...optional('goes out', item.scheduled_for && when(item.scheduled_for)),
    ...optional('expires', item.expires_at && when(item.expires_at)),
    ...optional('costs', item.cost_estimate ? `about $${item.cost_estimate.toFixed(3)}` : null),
    ...optional('decided', item.reviewed_at && `${when(item.reviewed_at)} by ${item.reviewed_by}`),
    ...optional('because', item.reason),
    ['rev', String(item.rev)],
    ['hash', item.content_hash],
  ]
}

function replyLines({ reply_to: target }: Item): readonly string[] {
  if (target === null) return []
  return ['', visible(`It answers @${target.author}, ${target.url}, who wrote:`), ...quoted(target.text, '  > ')]
}

function partLines({ parts, part_lengths, media }: Item, index: number): readonly string[] {
  const length = part_lengths[index]
  const size = length === undefined ? '' : ` (${length.count} of ${length.limit} ${length.unit})`
  const own = media.filter(({ part }) => part === index)
  return [
    '',
    `${parts.length === 1 ? 'Text' : `Part ${index + 1} of ${parts.length}`}${visible(size)}:`,
    ...quoted(parts[index]!, '  | '),
    ...own.flatMap(({ mime, bytes, sha256, alt }) => [
      visible(
        `  with ${mime}, ${bytes} bytes, SHA-256 ${sha256}, ${alt === '' ? 'without alt text' : 'described as:'}`,
      ),
      ...(alt === '' ? [] : quoted(alt, '    | ')),
    ]),
  ]
}

function riskLines({ risks }: Item): readonly string[] {
  return risks.length === 0 ? [] : ['', 'Risks:', ...risks.map((risk) => `  - ${visible(risk)}`)]
}

function outboxLines({ outbox }: Item, now: number): readonly string[] {
  if (outbox === null) return []
  const { status, due_at, attempts, next_try_at, last_error, parts } = outbox
  const next = next_try_at === null || status !== 'queued' ? '' : `, next try ${fromNow(next_try_at, now)}`
  // Once it is out, what is counted is how often it was read back.
  const tries = status === 'posted' ? '' : `, tried ${attempts} ${attempts === 1 ? 'time' : 'times'}`
  return [
    '',
    visible(`Outbox: ${status}, due ${due_at}${tries}${next}`),
    ...(last_error === null ? [] : [`  last error: ${visible(last_error)}`]),
    ...parts.map((part) =>
      visible(`  part ${part.position + 1}: ${part.status}${part.url === null ? '' : `, ${part.url}`}`),
    ),
  ]
}

function revisionLines({ revisions }: Item): readonly string[] {
  if (revisions.length < 2) return []
  const lines = revisions.map(({ rev, principal, at }) => visible(`  rev ${rev} by ${principal}, ${at}`))
  return ['', 'Revisions:', ...lines]
}
