// Answers as `claude -p --output-format json [--resume <id>]` does; knows the sessions that it made in this directory.
import { randomUUID } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { text } from 'node:stream/consumers'

const prompt = await text(process.stdin)
const resumed = process.argv[process.argv.indexOf('--resume') + 1 || Number.NaN]
const known = existsSync('claude-sessions.json') ? JSON.parse(readFileSync('claude-sessions.json', 'utf8')) : {}
const base = { type: 'result', duration_ms: 12, duration_api_ms: 10, num_turns: 1 }

if (resumed !== undefined && known[resumed] === undefined) {
  const errors = [`No conversation found with session ID: ${resumed}`]
  const failure = { ...base, subtype: 'error_during_execution', is_error: true, session_id: randomUUID(), errors }
  process.stdout.write(`${JSON.stringify(failure)}\n`)
  process.exitCode = 1
} else if (prompt.includes('overloaded')) {
  const failure = { ...base, subtype: 'success', is_error: true, result: 'API Error: 529 Overloaded', session_id: 's' }
  process.stdout.write(`${JSON.stringify(failure)}\n`)
  process.exitCode = 1
} else {
  const session = resumed ?? randomUUID()
  const said = [...(known[session] ?? []), prompt]
  writeFileSync('claude-sessions.json', JSON.stringify({ ...known, [session]: said }))
  const answer = {
    ...base,
    subtype: 'success',
    is_error: false,
    result: `I have read ${said.length} prompts, the last one of ${prompt.length} characters.`,
    session_id: session,
    total_cost_usd: 0.0125,
    usage: { input_tokens: 1200, cache_creation_input_tokens: 0, cache_read_input_tokens: 900, output_tokens: 34 },
  }
  process.stdout.write(`${JSON.stringify(answer)}\n`)
}
