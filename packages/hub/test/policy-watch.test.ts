import { mkdir, rename, rm, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import type { Logger } from '../src/hub-log.js'
import { policyBytesMax } from '../src/policy/limits.js'
import type { Policy } from '../src/policy/policy.js'
import { policyFileOf, policyFileVersion, readPolicy } from '../src/policy-file.js'
import { PolicyWatch } from '../src/policy-watch.js'
import { StartError } from '../src/start-error.js'
import { temporaryDirectory } from './temporary.js'

let data: string
let file: string
let told: string[]
let applied: number[]

beforeEach(async () => {
  data = await temporaryDirectory()
  file = join(data, 'policy.json')
  told = []
  applied = []
})

const rules = (count: number) => ({ rules: Array.from({ length: count }, () => ({ who: ['*'], do: 'call' })) })

/** As editors do it: there is never half a file. */
async function put(value: unknown): Promise<void> {
  await writeFile(`${file}.next`, typeof value === 'string' ? value : JSON.stringify(value))
  await rename(`${file}.next`, file)
}

/** By its log, and by how many rules what is in force has. */
async function watching(more: { policyFile?: string } = {}): Promise<PolicyWatch> {
  const note = (fields: { problems?: readonly string[] }, message: string) =>
    void told.push(`${message}${(fields.problems ?? []).map((each) => ` | ${each.replaceAll(data, 'DATA')}`).join('')}`)
  const log = { info: note, error: note } as unknown as Logger
  const apply = ({ content }: Policy) => void applied.push(content.rules.length)
  const watch = await PolicyWatch.start({ dataDirectory: data, ...more }, apply, log)
  onTestFinished(() => watch.close())
  return watch
}

const useless = 'the policy file is of no use: the former stays'

describe('at its start a hub', () => {
  it('has the policy that the file has', async () => {
    await put(rules(2))
    await watching()
    expect([applied, told]).toEqual([[2], []])
  })

  it('has none without a file, unless somebody named one', async () => {
    await watching()
    expect(applied).toEqual([])
    const named = join(data, 'mine.json')
    await expect(watching({ policyFile: named })).rejects.toThrow(StartError)
    await expect(watching({ policyFile: named })).rejects.toThrow(`There is no policy file ${named}: make it`)
  })

  it('takes the one that was named, and not that of the data directory', async () => {
    await put(rules(2))
    const policyFile = join(data, 'mine.json')
    await writeFile(policyFile, JSON.stringify(rules(3)))
    await watching({ policyFile })
    expect(applied).toEqual([3])
    expect(policyFileOf({ dataDirectory: data })).toEqual({ file, isNamed: false })
    expect(policyFileOf({ dataDirectory: data, policyFile })).toEqual({ file: policyFile, isNamed: true })
  })

  it('does not begin with one that is broken', async () => {
    await put('{')
    await expect(watching()).rejects.toThrow(StartError)
    await expect(watching()).rejects.toThrow(`${file}: it is not JSON`)
    expect(applied).toEqual([])
  })
})

describe('a look', () => {
  it('takes another file, once', async () => {
    await put(rules(1))
    const watch = await watching()
    await watch.look()
    await put(rules(2))
    await watch.look()
    await watch.look()
    expect([applied, told]).toEqual([[1, 2], ['another policy is in force']])
  })

  it('takes the first file that there is', async () => {
    const watch = await watching()
    await watch.look()
    await put(rules(1))
    await watch.look()
    expect([applied, told]).toEqual([[1], ['another policy is in force']])
  })

  it('leaves what is in force when the file is broken, says each problem once, and takes it when it is mended', async () => {
    await put(rules(1))
    const watch = await watching()
    await put({ rules: [{ who: ['*'] }], colour: 1 })
    await watch.look()
    await watch.look()
    const first = `${useless} | DATA/policy.json: unknown key colour. | DATA/policy.json: rules[0]: do is missing.`
    expect([applied, told]).toEqual([[1], [first]])
    await put('{')
    await watch.look()
    expect(told).toHaveLength(2)
    await put(rules(3))
    await watch.look()
    expect([applied, told.at(-1)]).toEqual([[1, 3], 'another policy is in force'])
  })

  it('leaves what is in force when the file is gone, says so, and says it again the next time', async () => {
    await put(rules(1))
    const watch = await watching()
    const gone = `${useless} | DATA/policy.json is gone: to have no rules, write {"rules": []} into it.`
    await rename(file, `${file}.away`)
    for (const _ of [1, 2]) await watch.look()
    expect([applied, told]).toEqual([[1], [gone]])
    await rename(`${file}.away`, file)
    await watch.look()
    await rename(file, `${file}.away`)
    await watch.look()
    expect(told.filter((line) => line === gone)).toHaveLength(2)
  })

  it('after the end changes nothing any more', async () => {
    const watch = await watching()
    await put(rules(1))
    const looking = watch.look()
    watch.close()
    await looking
    expect(applied).toEqual([])
  })

  it('is taken by itself, again and again, until the end', async () => {
    const watch = await watching()
    await put(rules(1))
    await vi.waitFor(() => expect(applied).toEqual([1]), 5_000)
    await put(rules(2))
    await vi.waitFor(() => expect(applied).toEqual([1, 2]), 5_000)
    watch.close()
    watch.close()
  })
})

describe('a file', () => {
  it('has another version after each change, and none where it is not there', async () => {
    expect(await policyFileVersion(file)).toBeUndefined()
    expect(await policyFileVersion(join(data, 'nowhere', 'policy.json'))).toBeUndefined()
    await put(rules(1))
    const first = await policyFileVersion(file)
    expect(await policyFileVersion(file)).toBe(first)
    await put(rules(1))
    expect(await policyFileVersion(file)).not.toBe(first)
  })

  it('may have a mebibyte; a larger one, and what is no file, is not read', async () => {
    const padded = (bytes: number) => JSON.stringify({ rules: [] }).padEnd(bytes)
    await put(padded(policyBytesMax))
    expect((await readPolicy(file))?.content.rules).toEqual([])
    await put(padded(policyBytesMax + 1))
    await expect(readPolicy(file)).rejects.toThrow(`has more than ${policyBytesMax} bytes`)
    await rm(file)
    await mkdir(file)
    await expect(readPolicy(file)).rejects.toThrow('is no file')
  })

  it('that is a link to itself can not be read, and the message says what helps', async () => {
    await symlink(file, file)
    await expect(readPolicy(file)).rejects.toThrow("make it readable to the hub's user")
    await expect(policyFileVersion(file)).rejects.toThrow("make it readable to the hub's user")
  })

  it('is read with patterns that take linear time, whatever the text', async () => {
    const when = { properties: { code: { type: 'string', pattern: '^(a+)+$' } } }
    await put({ rules: [{ who: ['*'], tools: ['*'], do: 'call', when }] })
    const check = (await readPolicy(file))!.content.rules[0]!.when!
    expect([check({ code: 'aaa' }), check({ code: `${'a'.repeat(1_000)}!` })]).toEqual([
      undefined,
      'code must match ^(a+)+$',
    ])
  })
})
