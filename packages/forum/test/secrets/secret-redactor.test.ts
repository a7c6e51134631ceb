import { describe, expect, it } from 'vitest'
import { SecretRedactor } from '../../src/secrets/secret-redactor.js'

const key = '3f9c0b7a5d1e8624f0a9b8c7d6e5f403'
const redacted = '[redacted]'
const textWith = (...secrets: string[]) => {
  const redactor = new SecretRedactor(secrets)
  return (text: string) => redactor.text(text)
}

describe('a secret in a text', () => {
  it.each([
    [key, redacted],
    [`Api-Key: ${key}, twice ${key}${key}.`, `Api-Key: ${redacted}, twice ${redacted}${redacted}.`],
    ['nothing of it', 'nothing of it'],
    ['', ''],
    [key.slice(1), key.slice(1)],
    [key.toUpperCase(), key.toUpperCase()],
  ])('%s', (text, expected) => {
    expect(textWith(key)(text)).toBe(expected)
  })

  const password = 'p4ss "wörd"\\/ & <more> (it\'s) 100%\n\u0007!'
  const json = (text: string) => JSON.stringify(text).slice(1, -1)
  it.each([
    ['as it is', password],
    ['in JSON', json(password)],
    ['in JSON in JSON', json(json(password))],
    [
      'in JSON as Rails writes it',
      json(password).replace('<', '\\u003c').replace('>', '\\u003e').replace('&', '\\u0026'),
    ],
    ['in a path', encodeURIComponent(password)],
    ['in a path, in small letters', encodeURIComponent(password).replace(/%../g, (code) => code.toLowerCase())],
    [
      'in a path, strictly',
      encodeURIComponent(password).replace(/[!'()*]/g, (c) => `%${c.charCodeAt(0).toString(16)}`),
    ],
    ['in a query', encodeURIComponent(password).replaceAll('%20', '+')],
    ['in a form', String(new URLSearchParams({ password })).slice('password='.length)],
  ])('is found %s', (_, written) => {
    expect(textWith(password)(`<${written}>`)).toBe(`<${redacted}>`)
  })

  it('is the longest that stands there', () => {
    const both = textWith(key, `${key}and-more`, key.slice(0, 12))
    expect(both(`${key}and-more|${key}|${key.slice(0, 12)}`)).toBe(`${redacted}|${redacted}|${redacted}`)
  })

  it('is found where another one has begun', () => {
    expect(textWith('abcabd99', 'cabc0000x')('ab abcabcabd99 ccabc0000x')).toBe(`ab abc${redacted} c${redacted}`)
  })

  it('is none where it is shorter than four characters', () => {
    expect(textWith('abc', '')('abcabc')).toBe('abcabc')
    expect(textWith('abcd')('abcd')).toBe(redacted)
  })

  it('may have halves of characters in it', () => {
    expect(textWith('\ud83d1234567')('x\ud83d1234567')).toBe(`x${redacted}`)
  })
})

describe('a secret that was cut off', () => {
  it.each(Array.from({ length: key.length - 8 }, (_, index) => index + 8))(
    'after %d characters shows none',
    (length) => {
      const cut = textWith(key)
      expect(cut(`key ${key.slice(0, length)}`)).toBe(`key ${redacted}`)
      expect(cut(`key ${key.slice(0, length)}… and so on`)).toBe(`key ${redacted}… and so on`)
      expect(cut(JSON.stringify({ key: key.slice(0, length) }))).toBe(`{"key":"${redacted}"}`)
    },
  )

  it('is not recognised by less than eight', () => {
    expect(textWith(key)(key.slice(0, 7))).toBe(key.slice(0, 7))
  })

  it('is recognised by more where it begins like a word, which texts may hold', () => {
    const word = textWith('discourse-is-my-password')
    expect(word('I like discourse very much')).toBe('I like discourse very much')
    expect(word('discourse-is-my-p')).toBe(redacted)
    expect(word('discourse-is-my-password')).toBe(redacted)
  })

  it('leaves JSON what it is', () => {
    const secret = '12345678"\\","x":"'
    const text = JSON.stringify(['12345678', '12345678\n', secret, `${secret}0`])
    expect(JSON.parse(textWith(secret)(text))).toEqual([redacted, `${redacted}\n`, redacted, `${redacted}0`])
  })
})

describe('a value', () => {
  const redactor = new SecretRedactor([key])

  it('loses secrets at any depth, in keys too', () => {
    const value = { list: [{ [`x-${key}`]: [`${key}!`, 7, null, true] }], fine: 'text' }
    expect(redactor.value(value)).toEqual({
      list: [{ [`x-${redacted}`]: [`${redacted}!`, 7, null, true] }],
      fine: 'text',
    })
  })

  it.each([[{ a: [1, { b: 'text' }], c: Number.NaN }], [[]], [{}], ['text'], [7], [null], [undefined]])(
    'is the same one where there is nothing to take out: %j',
    (value) => {
      expect(redactor.value(value)).toBe(value)
    },
  )

  it('that a stranger has nested without end is not followed to it', () => {
    const deep = JSON.parse(`${'['.repeat(100_000)}"${key}"${']'.repeat(100_000)}`)
    expect(JSON.stringify(redactor.value(deep))).toBe(`${'['.repeat(500)}"${redacted}"${']'.repeat(500)}`)
  })

  it('keeps a key that objects have of themselves', () => {
    const value = JSON.parse(`{"__proto__": "${key}"}`)
    expect(JSON.stringify(redactor.value(value))).toBe(`{"__proto__":"${redacted}"}`)
  })
})

describe('secrets that come later', () => {
  it('are known from then on', () => {
    const redactor = new SecretRedactor([key])
    expect(redactor.text('password-1')).toBe('password-1')
    redactor.add('password-1')
    expect(redactor.text(`password-1 ${key}`)).toBe(`${redacted} ${redacted}`)
  })

  it('give way to newer ones, and those of the configuration never', () => {
    const redactor = new SecretRedactor([key])
    const passwords = Array.from({ length: 1_001 }, (_, index) => `<${index}>secret`)
    for (const password of passwords.slice(0, 1_000)) redactor.add(password)
    redactor.add(passwords[0]!)
    redactor.add(key)
    redactor.add(passwords[1_000]!)
    const shown = passwords.filter((password) => redactor.text(password) === password)
    expect(shown).toEqual([passwords[1]])
    expect(redactor.text(key)).toBe(redacted)
  })
})

describe('the work for a text', () => {
  const later = Array.from(
    { length: 1_000 },
    (_, index) => `aaaaaaa0${String(index).padStart(4, '0')}${'a'.repeat(99)}b`,
  )

  it.each([
    ['beginnings of secrets and nothing else', 'a'.repeat(50_000)],
    ['secrets that are cut off', 'aaaaaaa0'.repeat(6_000)],
    ['secrets that are almost whole', `aaaaaaa00500${'a'.repeat(99)}c`.repeat(400)],
  ])('grows with its length alone, not with how many secrets there are, for %s', (_, text) => {
    const redactor = new SecretRedactor([`${'a'.repeat(15)}b`, 'aab1'])
    for (const secret of later) redactor.add(secret)
    redactor.text('')
    expect(charactersLookedAt(() => redactor.text(text))).toBeLessThan(30 * text.length)
  })

  function charactersLookedAt(work: () => void): number {
    const original = String.prototype.charCodeAt
    let count = 0
    String.prototype.charCodeAt = function (this: string, index: number) {
      count += 1
      return original.call(this, index)
    }
    try {
      work()
    } finally {
      String.prototype.charCodeAt = original
    }
    return count
  }
})

it('a secret of one call is taken out for that call alone', () => {
  const redactor = new SecretRedactor([key])
  const ofCall = redactor.also(['correct horse'])
  expect(ofCall.text(`${key} and correct horse`)).toBe('[redacted] and [redacted]')
  expect(ofCall.value({ said: ['correct horse', key] })).toEqual({ said: ['[redacted]', '[redacted]'] })
  expect(redactor.text('correct horse')).toBe('correct horse')
  expect(redactor.also([])).toBe(redactor)
})
