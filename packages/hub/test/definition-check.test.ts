import { expect, it } from 'vitest'
import { inspectDefinition } from '../src/definition-check.js'

const inputSchema = { type: 'object' }

it.each([
  ['tool', { name: 'greet', inputSchema }],
  ['tool', { name: 'greet', inputSchema, title: 'Greet', unknown: [1], annotations: { readOnlyHint: true, acme: 1 } }],
  ['resource', { uri: 'note://7', name: 'seven', mimeType: 'text/plain' }],
  ['resourceTemplate', { uriTemplate: 'note://{id}', name: 'note' }],
  ['prompt', { name: 'ask', arguments: [{ name: 'what', required: true }] }],
] as const)('a client can read the %s %j', (kind, value) => {
  expect(inspectDefinition(kind, value)).toBeUndefined()
})

it.each([
  ['tool', { name: 'greet', inputSchema, description: 7 }, /^description: /],
  ['tool', { name: 'greet', inputSchema, annotations: { readOnlyHint: 'yes' } }, /^annotations.readOnlyHint: /],
  ['tool', { name: 'greet' }, /^inputSchema/],
  ['resource', { uri: 'note://7', name: 7 }, /^name: /],
  ['prompt', { name: 'ask', arguments: 'all' }, /^arguments: /],
] as const)('the %s %j would spoil its whole list', (kind, value, problem) => {
  expect(inspectDefinition(kind, value)).toMatch(problem)
})
