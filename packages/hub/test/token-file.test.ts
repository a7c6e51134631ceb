import { chmod, readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { describe, expect, it } from 'vitest'
import {
  changeTokens,
  newToken,
  parseTokens,
  readTokens,
  TokenFileError,
  type TokenRecord,
  tokenFileIn,
  tokenHash,
} from '../src/token-file.js'
import { temporaryDirectory } from './temporary.js'

function made(name: string, more: Partial<TokenRecord> = {}): TokenRecord {
  const { id, hash } = newToken([])
  return { id, hash, name, roles: ['agent'], createdAt: 1, ...more }
}
const add = (directory: string, record: TokenRecord) => changeTokens(directory, (tokens) => [...tokens, record])

describe('the token file', () => {
  it('holds what was put in, for its owner only, and no token', async () => {
    const directory = await temporaryDirectory()
    const { token, ...own } = newToken([])
    const record: TokenRecord = {
      ...own,
      name: 'ada',
      roles: ['agent', 'operator'],
      group: 'lab',
      createdAt: 1,
      expiresAt: 2,
    }
    await add(directory, record)
    expect(await readTokens(directory)).toEqual([record])
    expect(record.hash).toBe(tokenHash(token))
    const file = tokenFileIn(directory)
    expect((await stat(file)).mode & 0o777).toBe(0o600)
    expect(await readFile(file, 'utf8')).not.toContain(token.slice(4))
    expect(token).toMatch(/^cbt_[\w-]{43}$/)
  })

  it('has no tokens while it is not there', async () => {
    const directory = await temporaryDirectory()
    expect(await readTokens(directory)).toEqual([])
    expect(await readTokens(`${directory}/missing`)).toEqual([])
  })

  it('loses nothing of what several write at once, and leaves no draft', async () => {
    const directory = await temporaryDirectory()
    const records = Array.from({ length: 12 }, (_, index) => made(`agent-${index}`))
    await Promise.all(records.map((record) => add(directory, record)))
    const names = (await readTokens(directory)).map(({ name }) => name)
    expect(names.sort()).toEqual(records.map(({ name }) => name).sort())
    expect((await readdir(directory)).sort()).toEqual(['tokens.json', 'tokens.lock'])
  })

  it('stays as it was when a change is refused', async () => {
    const directory = await temporaryDirectory()
    await add(directory, made('ada'))
    const before = await readFile(tokenFileIn(directory), 'utf8')
    const refused = changeTokens(directory, () => {
      throw new Error('no')
    })
    await expect(refused).rejects.toThrow('no')
    expect(await readFile(tokenFileIn(directory), 'utf8')).toBe(before)
    await add(directory, made('bob'))
  })

  it('is neither read nor changed while it is broken', async () => {
    const directory = await temporaryDirectory()
    const file = tokenFileIn(directory)
    await writeFile(file, '{"version":1,"tokens":[')
    await expect(readTokens(directory)).rejects.toThrow(`The token file ${file} is broken (it is not JSON)`)
    await expect(add(directory, made('ada'))).rejects.toThrow(TokenFileError)
    expect(await readFile(file, 'utf8')).toBe('{"version":1,"tokens":[')
  })

  it.runIf(process.getuid?.() !== 0)('says so where it cannot be read', async () => {
    const directory = await temporaryDirectory()
    await add(directory, made('ada'))
    await chmod(tokenFileIn(directory), 0)
    await expect(readTokens(directory)).rejects.toThrow(/can't be read \(EACCES\)/)
  })

  it('takes 1,000 tokens and 1 MiB', async () => {
    const directory = await temporaryDirectory()
    const records = Array.from({ length: 1_000 }, (_, index) =>
      made('ada', { id: `tok:${String(index).padStart(8, '0')}` }),
    )
    await changeTokens(directory, () => records)
    expect(await readTokens(directory)).toHaveLength(1_000)
    await writeFile(tokenFileIn(directory), ' '.repeat(1024 * 1024 + 1))
    await expect(readTokens(directory)).rejects.toThrow(/more than 1048576 bytes/)
    expect(() => parseTokens(JSON.stringify({ version: 1, tokens: [...records, made('ada')] }), 'f')).toThrow(/tokens/)
  })
})

describe('a file that says anything else says nothing at all', () => {
  const good = { ...made('ada'), id: 'tok:00000001' }
  const file = (...tokens: unknown[]) => JSON.stringify({ version: 1, tokens })

  it('while this one is good', () => {
    expect(parseTokens(file(good), 'f')).toEqual([good])
  })

  it.each([
    ['', 'it is not JSON'],
    ['[]', 'the file: '],
    ['{"version":2,"tokens":[]}', 'version: '],
    ['{"version":1}', 'tokens: '],
    ['{"version":1,"tokens":[],"more":1}', 'the file: '],
    [file({ ...good, id: 'ada' }), 'tokens.0.id: '],
    [file({ ...good, name: 'a b' }), 'tokens.0.name: '],
    [file({ ...good, name: 'operator' }), 'tokens.0.name: '],
    [file({ ...good, name: 'oauth.ada' }), 'tokens.0.name: '],
    [file({ ...good, hash: 'cbt_plain' }), 'tokens.0.hash: '],
    [file({ ...good, roles: [] }), 'tokens.0.roles: '],
    [file({ ...good, roles: ['root'] }), 'tokens.0.roles.0: '],
    [file({ ...good, group: '' }), 'tokens.0.group: '],
    [file({ ...good, expiresAt: '2030-01-01' }), 'tokens.0.expiresAt: '],
    [file({ ...good, expires: 5 }), 'tokens.0: '],
    [file(good, { ...made('bob'), id: good.id }), 'two tokens have one id'],
    [file(good, { ...made('bob'), hash: good.hash }), 'two tokens have one hash'],
  ])('%s', (text, why) => {
    expect(() => parseTokens(text, '/data/tokens.json')).toThrow(`The token file /data/tokens.json is broken (${why}`)
  })
})
