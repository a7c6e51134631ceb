import { expect, it } from 'vitest'
import { nearestName } from '../src/nearest-name.js'

const names = ['list_topics', 'get_topic', 'search', 'run_cell']

it.each([
  ['list_topic', 'list_topics'],
  ['listTopics', 'list_topics'],
  ['RUN_CELL', 'run_cell'],
  ['serach', 'search'],
  ['reboot', undefined],
  ['', undefined],
  ['x'.repeat(10_000), undefined],
])('%s means %s', (wanted, meant) => {
  expect(nearestName(wanted, names)).toBe(meant)
})
