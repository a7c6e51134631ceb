import { describe, expect, it } from 'vitest'
import { parseFirstLine } from '../../src/mcp/attach.js'
import { parseClientView } from '../../src/mcp/client-view.js'

describe("a client's own wish", () => {
  it.each([
    [undefined, undefined, {}],
    ['forum:*,weave_*', undefined, { only: ['forum:*', 'weave_*'] }],
    [' forum:* , , weave_eval ', 'search', { only: ['forum:*', 'weave_eval'], mode: 'search' }],
  ])('%j and %j', (tools, mode, view) => {
    expect(parseClientView(tools, mode)).toEqual(view)
  })

  it.each([
    ['', undefined, '"tools" must name at least one'],
    [', ,', undefined, '"tools" must name at least one'],
    ['a b', undefined, '"a b" is no pattern'],
    ['x,'.repeat(101), undefined, 'at most 100 patterns'],
    ['x'.repeat(2_049), undefined, 'at most 2048 characters'],
    [7, undefined, '"tools" must be a text'],
    [undefined, 'all', '"mode" must be search'],
    [undefined, 7, '"mode" must be search'],
  ])('is refused as a whole when it is not understood: %j, %j', (tools, mode, problem) => {
    expect(parseClientView(tools, mode)).toContain(problem)
  })

  it('comes in the attach line', () => {
    const line = (attach: object) => Buffer.from(JSON.stringify({ callboard: 1, attach: { key: 'k', ...attach } }))
    expect(parseFirstLine(line({ tools: 'forum:*', mode: 'search' }))).toEqual({
      kind: 'attach',
      attach: { key: 'k', view: { only: ['forum:*'], mode: 'search' } },
    })
    expect(parseFirstLine(line({}))).toEqual({ kind: 'attach', attach: { key: 'k' } })
    expect(parseFirstLine(line({ tools: '' }))).toMatchObject({
      kind: 'invalid',
      message: expect.stringContaining('tools'),
    })
  })
})
