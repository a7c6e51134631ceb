import { readFileSync } from 'node:fs'
import { defineWorker, result, text } from '@callboard/worker'
import { z } from 'zod'

/** Plays the qda worker: a few suggestions, and an operator's tools for them. Writes down nothing but in memory. */
const worker = defineWorker({ service: 'qda', version: '1.0.0' })
const hour = 3_600_000
const ago = (ms) => new Date(Date.now() - ms).toISOString()

const suggestionOf = (id, more = {}) => ({
  id,
  kind: 'codings',
  tool: 'suggest_codings',
  payload: { source_id: 3, items: [{ code_id: 7, quote: 'I felt\u202e alone' }] },
  actor: 'agent:ada',
  rationale: 'Two passages speak of\nloneliness.',
  created_at: ago(3.5 * hour),
  status: 'pending',
  project_path: '/home/ada/Interviews.qda',
  decided_by: null,
  decided_at: null,
  reason: null,
  result: null,
  ...more,
})

const suggestions = new Map(
  [
    suggestionOf('3fa85f64-5717-4562-b3fc-2c963f66afa6'),
    suggestionOf('12345678-1717-4562-b3fc-2c963f66afa6', {
      kind: 'metadata',
      tool: 'suggest_source_metadata',
      payload: { source_id: 4, language: 'de' },
      rationale: null,
      project_path: '/srv/Field\u001b[2J notes.QDA',
    }),
    suggestionOf('3fa85f70-0000-4000-8000-000000000000'),
    suggestionOf('abcdef00-0000-4000-8000-000000000000', { actor: 'agent:stale' }),
    suggestionOf('dddddd00-0000-4000-8000-000000000000', {
      status: 'rejected',
      decided_by: 'operator:root',
      decided_at: ago(hour),
      reason: 'not a theme',
    }),
  ].map((each) => [each.id, each]),
)

function serve(name, input, answer) {
  const spec = { description: name, input: z.strictObject(input), output: z.looseObject({}), roles: ['operator'] }
  worker.tool(name, spec, (args) => {
    const value = answer(args)
    return result({ value, content: text(JSON.stringify(value)), isError: !value.success })
  })
}

const done = (data) => ({ success: true, data })
const failed = (error_code, error) => ({ success: false, error, error_code, details: {} })

const page = {
  status: z.string().default('pending'),
  limit: z.int().max(200).default(50),
  cursor: z.string().optional(),
}
/** Never more than two at once, so that whoever wants all has to go on. */
serve('list_suggestions', page, ({ status, limit, cursor = '0' }) => {
  const all = [...suggestions.values()].filter((each) => each.status === status)
  const [from, to] = [Number(cursor), Number(cursor) + (limit === 200 ? 2 : limit)]
  const next = to < all.length ? { next_cursor: String(to) } : {}
  return done({ total_count: all.length, suggestions: all.slice(from, to), ...next })
})

function decide(id, change) {
  const suggestion = suggestions.get(id)
  if (suggestion === undefined) return failed('SUGGESTION_NOT_FOUND', `Suggestion ${id} not found`)
  if (suggestion.status !== 'pending') return failed('ALREADY_DECIDED', `Suggestion ${id} is ${suggestion.status}.`)
  suggestions.set(id, { ...suggestion, ...change })
  return done({ id, status: change.status, result: change.result ?? null })
}

const approval = { id: z.string(), as_attributes: z.boolean().default(false) }
serve('approve_suggestion', approval, ({ id, as_attributes }) =>
  // Somebody else was faster.
  id === process.argv[2]
    ? failed('ALREADY_DECIDED', `Suggestion ${id} is withdrawn.`)
    : decide(id, {
        status: suggestions.get(id)?.actor === 'agent:stale' ? 'stale' : 'approved',
        reason: as_attributes ? 'as attributes' : null,
      }),
)
serve('reject_suggestion', { id: z.string(), reason: z.string() }, ({ id, reason }) =>
  decide(id, { status: 'rejected', reason, decided_by: 'operator:root', decided_at: ago(0) }),
)

const secret = readFileSync(`${process.env.CALLBOARD_DATA}/sign-in.secret`, 'utf8').trim()
await worker.start({ endpoint: `ipc://${process.env.CALLBOARD_RUNTIME}/worker.sock`, secret, logLevel: 'silent' })
process.send('ready')
