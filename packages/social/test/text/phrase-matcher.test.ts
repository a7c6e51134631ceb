import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { PhraseMatcher } from '../../src/text/phrase-matcher.js'
import { anyText } from '../support/any-text.js'

const said = (phrase: string, text: string) => new PhraseMatcher([phrase]).matchesAny(text)

describe('a text says', () => {
  it.each([
    ['a word', 'ai', 'What AI does'],
    ['a word beside punctuation', 'ai', '(AI)…'],
    ['a word with an ending behind an apostrophe', 'agent', 'the agent’s tools'],
    ['a word as a hashtag', 'mcp', 'on #MCP'],
    ['a hashtag as a word', '#mcp', 'on mcp'],
    ['a phrase over the end of a line', 'ai agents', 'AI\n  agents'],
    ['a word in full-width letters', 'mcp', 'ＭＣＰ！'],
    ['a word with a ligature', 'office', 'the oﬃce'],
    ['ß as SS', 'straße', 'STRASSE'],
    ['a final sigma', 'οδος', 'ΟΔΟΣ'],
    ['a word with an accent of its own', 'café', 'cafe\u0301'],
    ['a word with invisible characters in it', 'callboard', 'call\u200bboard'],
    ['a word with signs', 'c++', 'C++ or not'],
    ['a word that begins with a sign', '.net', 'ASP.NET'],
    ['a phrase with a hyphen', 'self-hosting', 'Self-hosting!'],
    ['a word of a script without blanks', 'エージェント', 'このエージェントは'],
    ['a Thai word', 'ตัวแทน', 'ใช้ตัวแทนได้'],
    ['a Latin word between characters of such a script', 'ai', 'これはAIです'],
    ['a word of both scripts', 'aiエージェント', '新しいAIエージェントを'],
    ['a sign', '🔥', 'so🔥good'],
  ])('%s', (_, phrase, text) => {
    expect(said(phrase, text)).toBe(true)
  })
})

describe('a text does not say', () => {
  it.each([
    ['a word within another', 'ai', 'she said it again'],
    ['a word before digits', 'gpt', 'gpt4'],
    ['a word with an accent as one without', 'resume', 'résumé'],
    ['a Korean word within another: it has blanks', '대리', '대리인'],
    ['a letter for a word with signs', 'c++', 'plan c'],
    ['a phrase in another order', 'ai agents', 'agents ai'],
    ['a phrase whose last word goes on', 'ai agent', 'ai agents'],
    ['a word of both scripts within another', 'aiエージェント', 'xaiエージェント'],
    ['nothing at all', '', 'anything'],
    ['what has no letters', ' # ', 'a # b'],
  ])('%s', (_, phrase, text) => {
    expect(said(phrase, text)).toBe(false)
  })
})

it('finds all of them, each once, as written and in the order given', () => {
  const matcher = new PhraseMatcher(['MCP', 'ai agents', 'mcp', 'agents', 'Rust', '語'])
  expect(matcher.phrases).toEqual(['MCP', 'ai agents', 'agents', 'Rust', '語'])
  expect(matcher.matches('語 agents and AI agents by #mcp, mcp')).toEqual(['MCP', 'ai agents', 'agents', '語'])
})

it('a phrase is found in any text that has it between blanks', () => {
  fc.assert(
    fc.property(anyText, anyText, anyText, (phrase, before, behind) => {
      const matcher = new PhraseMatcher([phrase])
      if (matcher.phrases.length > 0) expect(matcher.matchesAny(`${before} . ${phrase} . ${behind}`)).toBe(true)
    }),
  )
})
