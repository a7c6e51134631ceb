// Prints events as `codex exec --json [resume <id> -]` does.
import { text } from 'node:stream/consumers'

await text(process.stdin)
const resumed = process.argv[process.argv.indexOf('resume') + 1 || Number.NaN]
const event = (value) => process.stdout.write(`${JSON.stringify(value)}\n`)

event({ type: 'thread.started', thread_id: resumed ?? '0199a213-81c0-7800-8aa1-bbab2a035a53' })
event({ type: 'turn.started' })
event({ type: 'item.completed', item: { id: 'item_0', type: 'reasoning', text: '**Looking**' } })
event({ type: 'item.completed', item: { id: 'item_1', type: 'agent_message', text: 'I look into it.' } })
event({
  type: 'item.completed',
  item: { id: 'item_2', type: 'command_execution', command: 'ls', aggregated_output: 'a\nb\n', exit_code: 0 },
})
event({ type: 'item.completed', item: { id: 'item_3', type: 'agent_message', text: 'There are two files.' } })
event({ type: 'turn.completed', usage: { input_tokens: 24763, cached_input_tokens: 24448, output_tokens: 122 } })
