import { defineWorker } from '@callboard/worker'
import { offerQuestions } from './fixture-questions.js'
import { offerPrompts, offerResources } from './fixture-resources.js'
import { offerTasks } from './fixture-tasks.js'
import { offerTools } from './fixture-tools.js'

/**
 * What the conformance suite asks of a server that is under test: tools, resources and prompts of its names. It is an
 * ordinary worker; all that is MCP about it, the hub makes.
 */
const worker = defineWorker({ service: 'conformance', version: '1.0.0' })
offerTools(worker)
offerQuestions(worker)
offerResources(worker)
offerPrompts(worker)
offerTasks(worker)
// Whoever started it is gone.
process.on('disconnect', () => process.exit())
await worker.start()
process.send?.('ready')
