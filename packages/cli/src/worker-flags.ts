import { didYouMean } from '@callboard/protocol/nearest-name'
import { type Section, type SectionKey, valueOfKind } from './section-overrides.js'

/** A key of a worker's section as a flag of `callboard worker`. */
export interface WorkerFlag extends SectionKey {
  /** What stands for its value in help. */
  readonly value: string
  readonly description: string
}

/** What flags say of a worker's section. */
export interface GivenFlags {
  readonly section: Section
  /** Which flag gave a key, as it was written. */
  readonly sources: ReadonlyMap<string, string>
  /** Sentences that begin with the flag; nothing of a value, which may be a secret. */
  readonly problems: readonly string[]
}

export const noFlags: GivenFlags = { section: {}, sources: new Map(), problems: [] }

/** `--max_read_length 500`, `--max-read-length=500`, `--allow_writes`: underscores or hyphens, and a flag alone is true. */
export function readFlags(words: readonly string[], flags: readonly WorkerFlag[]): GivenFlags {
  const section: { [key: string]: unknown } = {}
  const sources = new Map<string, string>()
  const problems: string[] = []
  for (const given of flagsIn(words)) {
    const { written, value } = given
    const flag = flags.find(({ path }) => path === keyOf(written))
    if (written === '') problems.push(`word ${given.position} after the worker's name is no flag: flags begin with --`)
    else if (flag === undefined) problems.push(unknownFlag(written, flags))
    else if (sources.has(flag.path)) problems.push(`${written}: was given before: give it once`)
    else if (value === undefined && flag.kind !== 'truth') problems.push(`${written}: needs a value: <${flag.value}>`)
    else section[flag.path] = value === undefined ? true : valueOfKind(value, flag.kind)
    if (flag !== undefined) sources.set(flag.path, sources.get(flag.path) ?? written)
  }
  return { section, sources, problems }
}

/** Flags among words, each by its name alone. */
export function flagNamesIn(words: readonly string[]): readonly string[] {
  return [...new Set(flagsIn(words).map(({ written }) => shortened(written)))].filter((name) => name !== '')
}

interface Given {
  /** With its hyphens; empty for a word that is neither a flag nor the value of one. */
  readonly written: string
  readonly value: string | undefined
  /** Of the word, from 1. */
  readonly position: number
}

function flagsIn(words: readonly string[]): readonly Given[] {
  const found: Given[] = []
  for (let index = 0; index < words.length; index += 1) {
    const word = words[index]!
    const position = index + 1
    if (!word.startsWith('--')) {
      found.push({ written: '', value: undefined, position })
      continue
    }
    const [, written = '', value] = /^([^=]*)=(.*)$/s.exec(word) ?? []
    const next = words[index + 1]
    if (value !== undefined) found.push({ written, value, position })
    else if (next === undefined || next.startsWith('--')) found.push({ written: word, value: undefined, position })
    else {
      found.push({ written: word, value: next, position })
      index += 1
    }
  }
  return found
}

const keyOf = (written: string): string => written.slice(2).replaceAll('-', '_')

function unknownFlag(written: string, flags: readonly WorkerFlag[]): string {
  const names = flags.map(({ path }) => path)
  const near = didYouMean(keyOf(written), names).replace('did you mean ', 'did you mean --')
  return `${shortened(written)}: there is no such flag${near}`
}

/** A secret may have got into the place of a name. */
function shortened(name: string): string {
  return name.length > nameShownMax ? `${name.slice(0, nameShownMax)}…` : name
}

const nameShownMax = 30

/** A line for each flag. */
export function flagsHelp(flags: readonly WorkerFlag[]): string {
  const names = flags.map(({ path, value, kind }) => `--${path} ${kind === 'truth' ? `[${value}]` : `<${value}>`}`)
  const width = Math.max(...names.map((name) => name.length))
  return flags.map(({ description }, index) => `  ${names[index]!.padEnd(width)}  ${description}`).join('\n')
}
