// Prints events as `opencode run --format json [--session <id>]` does.
import { text } from 'node:stream/consumers'

await text(process.stdin)
const sessionID = process.argv[process.argv.indexOf('--session') + 1 || Number.NaN] ?? 'ses_1ea551140ffedVQFo35xGxPtJ8'
const event = (type, part) => {
  process.stdout.write(
    `${JSON.stringify({ type, timestamp: 1778479990756, sessionID, part: { sessionID, ...part } })}\n`,
  )
}
const tokens = { total: 120, input: 100, output: 20, reasoning: 0, cache: { write: 0, read: 0 } }

event('step_start', { type: 'step-start' })
event('reasoning', { type: 'reasoning', text: 'I should look first.' })
event('text', { type: 'text', text: 'Let me look.' })
event('tool_use', { type: 'tool', tool: 'read', state: { status: 'completed', output: 'x'.repeat(200_000) } })
event('step_finish', { type: 'step-finish', reason: 'tool-calls', cost: 0.25, tokens })
event('step_start', { type: 'step-start' })
event('text', { type: 'text', text: 'It is done.' })
event('step_finish', { type: 'step-finish', reason: 'stop', cost: 0.5, tokens })
