import { expect, it } from 'vitest'
import { parseArguments } from '../../src/call/tool-arguments.js'

const tool = {
  name: 'draw',
  inputSchema: {
    type: 'object',
    additionalProperties: false,
    required: ['code'],
    properties: {
      code: { type: 'string' },
      count: { type: 'integer' },
      timeout: { anyOf: [{ type: 'number' }, { type: 'null' }] },
      name: { anyOf: [{ type: 'string' }, { type: 'null' }] },
      mode: { enum: ['fast', 'slow', 3] },
      tags: { type: 'array' },
    },
  },
}

it.each([
  [['code=1 + 1'], { code: '1 + 1' }],
  [['code=a=b'], { code: 'a=b' }],
  [['code=true', 'count=3', 'timeout=null', 'name=7'], { code: 'true', count: 3, timeout: null, name: '7' }],
  [['code=x', 'mode=fast', 'tags=["a"]'], { code: 'x', mode: 'fast', tags: ['a'] }],
  [['code=x', 'mode=3', 'name:=null'], { code: 'x', mode: 3, name: null }],
  [['{"code": "x", "count": 1}'], { code: 'x', count: 1 }],
])('%j', (words, expected) => {
  expect(parseArguments(tool, words)).toEqual(expected)
})

it.each([
  [[], 'draw needs code (string): write code=….'],
  [['code=x', 'coun=1'], 'draw takes no argument coun (did you mean count?)'],
  [['code=x', 'count=many'], 'count must be integer as JSON, and many is not.'],
  [['code=x', 'tags=a'], `tags must be array as JSON, as in tags:='["a", "b"]', and a is not.`],
  [['code=x', 'timeout=soon'], 'timeout must be number or null as JSON'],
  [['code'], 'code is no argument: write key=value'],
  [['{"code"'], 'The arguments are not a JSON object'],
])('%j is refused', (words, sentence) => {
  expect(() => parseArguments(tool, words)).toThrow(sentence)
})
