// Plays an agent that answers every trigger with a trigger to the group that it came from.
import { text } from 'node:stream/consumers'
import { openAgent, writeWhole } from './agent.mjs'

const prompt = await text(process.stdin)
const [, depth] = /^Depth: (\d+)$/m.exec(prompt)
const [, source] = /^Source group: (\w+)$/m.exec(prompt)
const agent = await openAgent()
writeWhole(`answer-${depth}.json`, await agent.call('trigger_email', { tag: source, body: 'Back to you.' }))
agent.close()
process.exit(0)
