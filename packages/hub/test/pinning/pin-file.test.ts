import { mkdir, readdir, readFile, stat, truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { pinFileBytesMax, pinsMax } from '../../src/pinning/limits.js'
import { type Pin, PinFileError, readPins, withPin, writePins } from '../../src/pinning/pin-file.js'
import { temporaryDirectory } from '../temporary.js'

const hashOf = (letter: string): string => letter.repeat(64)
const pin = (more: Partial<Pin> = {}): Pin => ({
  identity: 'service:greeter',
  service: 'greeter',
  kind: 'tool',
  name: 'greet',
  hash: hashOf('a'),
  acceptedAt: 1_800_000_000_000,
  listed: { name: 'greet', inputSchema: { type: 'object' } },
  ...more,
})

let data: string
let file: string
beforeEach(async () => {
  data = await temporaryDirectory()
  file = join(data, 'pins.json')
})

describe('the file of accepted definitions', () => {
  it('has none before the first', async () => {
    expect(await readPins(data)).toEqual([])
  })

  it('is read as it was written, is its owner’s alone, and nothing else is left behind', async () => {
    const pins = [pin(), pin({ identity: 'key:ada', kind: 'prompt', roles: ['operator'] })]
    await writePins(data, pins)
    expect(await readPins(data)).toEqual(pins)
    expect((await stat(file)).mode & 0o777).toBe(0o600)
    expect(await readdir(data)).toEqual(['pins.json'])
  })

  const written = (more: object) => JSON.stringify({ version: 1, pins: [{ ...pin(), ...more }] })
  it.each([
    ['no JSON', '{"version":1', /\(it is not JSON\)/],
    ['nothing in it', '', /\(it is not JSON\)/],
    ['another version', '{"version":2,"pins":[]}', /\(version: /],
    ['no object', '[]', /\(the file: /],
    ['an unknown key', '{"version":1,"pins":[],"more":1}', /\(the file: /],
    ['a pin of nobody', written({ identity: 'greeter' }), /\(pins\.0\.identity: /],
    ['a pin of no service', written({ service: '' }), /\(pins\.0\.service: /],
    ['a pin of another kind', written({ kind: 'thing' }), /\(pins\.0\.kind: /],
    ['a hash that is none', written({ hash: 'a' }), /\(pins\.0\.hash: /],
    ['a time that is none', written({ acceptedAt: -1 }), /\(pins\.0\.acceptedAt: /],
    ['an unknown key of a pin', written({ by: 'ada' }), /\(pins\.0: /],
    ['something too deep', `{"version":1,"pins":${'['.repeat(500)}${']'.repeat(500)}}`, /\(it is too deep\)/],
    [
      'too many pins',
      JSON.stringify({ version: 1, pins: Array.from({ length: pinsMax + 1 }, () => pin()) }),
      /\(pins: /,
    ],
  ])('is refused whole, with the reason and the remedy: %s', async (_, text, reason) => {
    await writeFile(file, text)
    const reading = readPins(data)
    await expect(reading).rejects.toThrow(PinFileError)
    await expect(reading).rejects.toThrow(reason)
    await expect(reading).rejects.toThrow('correct the file, or remove it and accept again')
  })

  it('is refused unread when it is too large, and not waited for when it is no file', async () => {
    await writeFile(file, '')
    await truncate(file, pinFileBytesMax + 1)
    await expect(readPins(data)).rejects.toThrow(`it has more than ${pinFileBytesMax} bytes`)
    const other = await temporaryDirectory()
    await mkdir(join(other, 'pins.json'))
    await expect(readPins(other)).rejects.toThrow('it is no file')
  })

  it('is refused where its place can not be looked at', async () => {
    await writeFile(join(data, 'a-file'), '')
    await expect(readPins(join(data, 'a-file'))).rejects.toThrow("it can't be read: ENOTDIR")
  })

  it('takes as many as there may be; one more changes nothing', async () => {
    const full = Array.from({ length: pinsMax }, (_, index) => pin({ name: `greet${index}` }))
    await writePins(data, full)
    await expect(writePins(data, [pin(), ...full])).rejects.toThrow('callboard tools forget')
    expect(await readPins(data)).toEqual(full)
  })

  it('takes as many bytes as it may have; more change nothing', async () => {
    await writePins(data, [pin()])
    const text = 'ä'.repeat(pinFileBytesMax / 2)
    await expect(writePins(data, [pin({ listed: { description: text } })])).rejects.toThrow('is full')
    expect(await readPins(data)).toEqual([pin()])
  })

  it('that can not be written stays as it is, and the message says so', async () => {
    const nowhere = join(data, 'nowhere')
    await expect(writePins(nowhere, [pin()])).rejects.toThrow(/pins\.json can't be written \(ENOENT\)/)
  })

  it('has no state in between', async () => {
    await writePins(data, [pin()])
    const before = await stat(file)
    await writePins(data, [pin({ hash: hashOf('b') })])
    expect((await stat(file)).ino).not.toBe(before.ino)
    expect(JSON.parse(await readFile(file, 'utf8')).pins).toHaveLength(1)
  })
})

describe('a definition that is accepted', () => {
  it('stands first, before the three of its name that were accepted last', () => {
    const pins = ['a', 'b', 'c', 'd', 'e'].reduce<Pin[]>(
      (all, letter) => withPin(all, pin({ hash: hashOf(letter) })),
      [],
    )
    expect(pins.map(({ hash }) => hash[0])).toEqual(['e', 'd', 'c', 'b'])
  })

  it('is there once, also when it is accepted again', () => {
    const pins = ['a', 'b', 'a'].reduce<Pin[]>((all, letter) => withPin(all, pin({ hash: hashOf(letter) })), [])
    expect(pins.map(({ hash }) => hash[0])).toEqual(['a', 'b'])
  })

  it.each<[string, Partial<Pin>]>([
    ['worker', { identity: 'key:ada' }],
    ['service', { service: 'welcomer' }],
    ['kind', { kind: 'prompt' }],
    ['name', { name: 'wave' }],
  ])('takes no place of one of another %s', (_, more) => {
    const others = ['a', 'b', 'c', 'd'].map((letter) => pin({ ...more, hash: hashOf(letter) }))
    expect(withPin(others, pin())).toEqual([pin(), ...others])
  })
})
