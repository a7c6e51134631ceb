import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { formatAllowList, formatWorker, parseAllowList, workersOf } from '../../src/keys/allow-list.js'

// In the names of tests: they are the same each time.
const key = 'k'.repeat(40)
const other = 'o'.repeat(40)
const one = (line: string) => {
  const { problems, ...list } = parseAllowList(line)
  return { problems, worker: workersOf({ problems, ...list })[0] }
}

describe('the allow-list', () => {
  it('lets a key offer the service of its name, with all tools and resources, if it says no more', () => {
    expect(one(`lab ${key}`)).toEqual({
      problems: [],
      worker: { name: 'lab', key, services: ['lab'], tools: ['*'], resources: ['*'], trusted: false },
    })
  })

  it('says what a key may offer, until when, and whether it is trusted', () => {
    const line = `lab ${key} services=kernel,lab tools=run_*,list resources=lab://*/data expires=2027-01-31T12:00:00Z trusted`
    expect(one(line).worker).toEqual({
      name: 'lab',
      key,
      services: ['kernel', 'lab'],
      tools: ['run_*', 'list'],
      resources: ['lab://*/data'],
      expiresAt: Date.UTC(2027, 0, 31, 12),
      trusted: true,
    })
  })

  it('takes a day for its first moment, and no patterns for nothing at all', () => {
    const { worker } = one(`lab ${key} tools= resources= expires=2027-01-31`)
    expect(worker).toMatchObject({ tools: [], resources: [], expiresAt: Date.UTC(2027, 0, 31) })
  })

  it('has comments, empty lines, spaces and line ends of every kind, and keeps them', () => {
    const text = `# who\n\n  lab   ${key}\t\r\n#${other}\nlab ${other}`
    const list = parseAllowList(`\uFEFF${text}`)
    expect(workersOf(list).map((worker) => worker.key)).toEqual([key, other])
    expect(formatAllowList(list.lines)).toBe(`# who\n\n  lab   ${key}\t\n#${other}\nlab ${other}\n`)
  })

  it.each([
    [`Lab ${key}`, '"Lab" is no name: a name has a-z, 0-9 and -, a letter first, 32 characters at most'],
    ['lab short', '"short" is no key: a key has 40 characters, as "callboard keys new" prints it'],
    [
      `lab ${'#'.repeat(40)}`,
      `"${'#'.repeat(40)}" is no key: a key has 40 characters, as "callboard keys new" prints it`,
    ],
    [
      `lab ${key} tool=a`,
      '"tool" is no option (did you mean tools?): they are services, tools, resources, expires, trusted',
    ],
    [`lab ${key} tools=a tools=b`, 'tools is said twice: put its values into one'],
    [`lab ${key} tools`, 'tools needs a value: write tools=…'],
    [`lab ${key} trusted=yes`, 'trusted takes no value: write the word alone'],
    [`lab ${key} services=`, 'service "" is no name: a name has a-z, 0-9 and -, a letter first, 32 characters at most'],
    [
      `lab ${key} tools=a,b;c`,
      'tools: "b;c" is no pattern for names: it has letters, digits, _, ., /, - and *, 128 characters at most',
    ],
    [
      `lab ${key} expires=2027-02-31`,
      'expires: "2027-02-31" is no time: write a time like 2027-01-31T12:00:00Z, or a day like 2027-01-31',
    ],
    [
      `lab ${key} expires=tomorrow`,
      'expires: "tomorrow" is no time: write a time like 2027-01-31T12:00:00Z, or a day like 2027-01-31',
    ],
    [
      `lab ${key} services=kernel`,
      'service kernel is a reserved one, which only a trusted worker may hold: add the word trusted, or give the worker another service',
    ],
    [
      `kernel ${key}`,
      'service kernel is a reserved one, which only a trusted worker may hold: add the word trusted, or give the worker another service',
    ],
    [`lab ${key} services=${Array(33).fill('a').join(',')}`, 'services has more than 32 names: leave some out'],
    [`lab ${key} tools=${Array(65).fill('a').join(',')}`, 'tools has more than 64 patterns: use * in fewer'],
    [`lab ${key} ${'a'.repeat(16 * 1024)}`, 'it has more than 16384 characters: shorten it'],
  ])('names the line, what is wrong with it and what helps: %s', (line, problem) => {
    expect(one(`# first\n${line}`)).toEqual({ problems: [`Line 2: ${problem}.`], worker: undefined })
  })

  it('has a key once', () => {
    expect(parseAllowList(`lab ${key}\nold ${key}`).problems).toEqual([
      'Line 2: its key is that of line 1: remove one of them.',
    ])
  })

  it('has 1000 lines at most', () => {
    expect(parseAllowList('#\n'.repeat(1000)).problems).toEqual([])
    expect(parseAllowList('#\n'.repeat(1001)).problems).toEqual([
      'It has more than 1000 lines: remove what nobody needs.',
    ])
  })

  it('writes a worker as it reads it', () => {
    const rights = fc.record({
      services: fc.uniqueArray(fc.constantFrom('lab', 'kernel', 'more'), { minLength: 1 }),
      tools: fc.array(fc.constantFrom('*', 'run_*', 'a.b/c-d'), { maxLength: 3 }),
      resources: fc.array(fc.constantFrom('*', 'lab://{id}/*', 'a=b'), { maxLength: 3 }),
      expires: fc.option(fc.integer({ min: 0, max: 4_102_444_800_000 }), { nil: undefined }),
    })
    fc.assert(
      fc.property(rights, ({ expires, ...said }) => {
        const expiresAt = expires === undefined ? {} : { expiresAt: expires }
        const worker = { name: 'lab', key, ...said, ...expiresAt, trusted: true }
        expect(one(formatWorker(worker))).toEqual({ problems: [], worker })
      }),
    )
  })

  it('makes lines and problems of any text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 300 }), (text) => {
        const { lines, problems } = parseAllowList(text)
        const wrong = lines.flatMap((line, index) => (/^\s*(#|$)/.test(line.text) ? [] : [`Line ${index + 1}`]))
        expect(wrong).toEqual([...new Set(problems.map((problem) => problem.split(':')[0]))])
        expect(workersOf({ lines, problems })).toEqual([])
      }),
    )
  })
})
