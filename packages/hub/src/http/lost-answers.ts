import { eventStream } from './accept.js'
import { serverError } from './answers.js'
import type { FormerStream } from './kept-events.js'

const message = 'The hub went away during this call: whether it took effect is unknown.'
const data = { code: 'outcome_unknown', message, retryable: false }

/**
 * The rest of a stream that a former life of the hub had begun, for a client that would wait in vain. The events' ids say that there is
 * nothing more: SDK 1.x comes back after an error.
 */
export function lostAnswers({ unanswered, eventId }: Extract<FormerStream, { kind: 'requests' }>): Response {
  const error = { code: serverError, message, data }
  const events = unanswered.map((id) => {
    return `event: message\nid: ${eventId}\ndata: ${JSON.stringify({ jsonrpc: '2.0', id, error })}\n\n`
  })
  return new Response(events.join(''), { headers: { 'content-type': eventStream, 'cache-control': 'no-cache' } })
}
