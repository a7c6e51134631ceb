import { describe, expect, test } from 'vitest'
import { parseUriTemplate } from '../src/uri-template.js'

describe('a resource template', () => {
  test.each([
    ['weave://runs/{run_id}/images/{n}', 'weave://runs/r1/images/2', { run_id: 'r1', n: '2' }],
    ['weave://runs/{run_id}', 'weave://runs/a%2Fb', { run_id: 'a/b' }],
    ['weave://runs/{run_id}', 'weave://runs/', undefined],
    ['weave://runs/{run_id}', 'weave://runs/a/b', undefined],
    ['weave://runs/{run_id}', 'xweave://runs/a', undefined],
    ['file:///{+path}', 'file:///a/b?c', { path: 'a/b?c' }],
    ['a://b{#part}', 'a://b#c/d', { part: 'c/d' }],
    ['a://b{.ext}', 'a://b.json', { ext: 'json' }],
    ['a://b{/one,two}', 'a://b/1/2', { one: '1', two: '2' }],
    ['a://{x,y}', 'a://1,2', { x: '1', y: '2' }],
    ['a://b{;x,y}', 'a://b;x=1;y=2', { x: '1', y: '2' }],
    ['a://b{?q,page}', 'a://b?q=hello%20you&page=2', { q: 'hello you', page: '2' }],
    ['a://b{?q,page}', 'a://b?page=2', { page: '2' }],
    ['a://b{?q,page}', 'a://b', {}],
    ['a://b?fixed=1{&q}', 'a://b?fixed=1&q=2', { q: '2' }],
    ['a://b.c/{x}', 'a://bXc/1', undefined],
    ['a://{x}', 'a://100%', { x: '100%' }],
  ])('%s of %s', (template, uri, expected) => {
    expect(parseUriTemplate(template).match(uri)).toEqual(expected)
  })

  test.each(['a://{x', 'a://x}', 'a://{}', 'a://{x:3}', 'a://{x*}', 'a://{|x}', 'a://{x}/{x}', 'a://{x,,y}'])(
    '%s is none',
    (template) => {
      expect(() => parseUriTemplate(template)).toThrow(TypeError)
    },
  )
})
