// vitest bench --run packages/qda/bench: what calls cost beside 1,000 sources of 30,000 characters and 100,000 codings of 500 codes.
import { join } from 'node:path'
import { afterAll, bench, describe } from 'vitest'
import { fillLargeProject } from '../test/support/large-project.js'
import { openQdaForTest } from '../test/support/whole-qda.js'

const whole = await openQdaForTest()
const path = whole.makeProject('Large')
fillLargeProject(join(path, 'data.qda'))
await done('open_project', { path })

afterAll(() => whole[Symbol.asyncDispose]())

async function done(tool: string, args: object = {}) {
  const answer = await whole.call(tool, args)
  if (answer['success'] !== true) throw new Error(`${tool}: ${JSON.stringify(answer).slice(0, 500)}`)
  return answer
}

const calls =
  (tool: string, args: object = {}) =>
  async () =>
    void (await done(tool, args))

/** Starts at another place each time, so that all codings of a batch are new. */
let batches = 0
function nextBatch(): object {
  batches += 1
  const operations = Array.from({ length: 10_000 }, (_, index) => ({
    code_id: 1 + (index % 500),
    source_id: 1 + (index % 1_000),
    start_position: 400 * batches + (index % 7),
    end_position: 400 * batches + 100 + (index % 50),
  }))
  return { operations }
}

const few = { time: 0, iterations: 5, warmupTime: 0, warmupIterations: 1 }
const some = { time: 0, iterations: 30, warmupTime: 0, warmupIterations: 3 }

describe('a project of 1,000 sources and 100,000 codings', () => {
  bench(
    'closed and opened again',
    async () => {
      await done('close_project')
      await done('open_project', { path })
    },
    some,
  )
  bench('list_codes', calls('list_codes'), some)
  bench('list_sources', calls('list_sources'), some)
  bench('list_segments_for_source', calls('list_segments_for_source', { source_id: 500 }), some)
  bench('read_source_content, a page', calls('read_source_content', { source_id: 500, max_length: 10_000 }), some)
  bench('batch_apply_codes of 10,000', async () => void (await done('batch_apply_codes', nextBatch())), few)
  bench('search_text for a word, over all texts', calls('search_text', { pattern: 'assembly trust', limit: 100 }), some)
  bench(
    'search_text by a regular expression',
    calls('search_text', { pattern: 'proud\\s+pump', match: 'regex', limit: 100 }),
    some,
  )
  bench('code_cooccurrence', calls('code_cooccurrence', { mode: 'overlap', top: 50 }), few)
})
