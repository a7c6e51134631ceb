import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { chapter, rowsOf } from './support/documents.js'
import { checkout, Installation } from './support/installation.js'

/** Counters that are there from the first thing that they count on. */
const counted = [
  'frames_dropped',
  'frames_faulty',
  'sign_in_refused',
  'connections_refused',
  'own_tools_dropped',
  'not_started',
]

it('the table of the series has each that there is, with its type, and no other', async () => {
  const text = chapter(readFileSync(join(checkout, 'docs/operators.md'), 'utf8'), '## Metrics', '\n## ')
  const rows = rowsOf(text).flatMap(([names = '', type = '']) => names.split(', ').map((name) => `${name} ${type}`))
  const written = rows.filter((row) => row.startsWith('`')).map((row) => row.replaceAll('`', ''))
  const installation = new Installation()
  await installation.hub()
  const page = (await installation.run(['metrics'])).stdout
  const shown = [...page.matchAll(/^# TYPE (\S+ \S+)$/gm)].map(([, family]) => family!)
  const expected = [...shown, ...counted.map((name) => `callboard_${name}_total counter`)]
  expect([...written].sort()).toEqual([...expected].sort())
})
