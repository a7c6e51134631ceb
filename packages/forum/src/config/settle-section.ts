import { isRecord, type JsonRecord } from '../json/read-json.js'
import { isOpenToOthers, readProfile } from './profile.js'
import { relationProblems } from './relation-problems.js'
import { type KeyProblem, sectionProblems } from './section-problems.js'

/** Where keys of the section `forum` are written; the later win, the profile that they name comes after the file. */
export interface SectionLayers {
  /** Unread; `path` is absent where there is no file. */
  readonly file: { readonly section: unknown; readonly path?: string }
  readonly variables: GivenKeys
  readonly flags: GivenKeys
}

export interface GivenKeys {
  readonly section: JsonRecord
  /** The variable or flag that gave a key, as it is written. */
  readonly sources: ReadonlyMap<string, string>
}

export interface SettledSection {
  /** With what the profile says, and without its name. Of use only where there are no problems. */
  readonly section: JsonRecord
  /** Sentences without their full stop that begin with where the mistake is. */
  readonly problems: readonly string[]
  /** Sentences. */
  readonly warnings: readonly string[]
  /** The sentence that begins with `forum.key: `, with where that key is from before it. */
  located(problem: string): string
}

/** Puts the parts together, key by key and each key whole; every mistake in every part is found. */
export function settleSection(layers: SectionLayers, home: string | undefined): SettledSection {
  const { file, variables, flags } = layers
  const named = keysOf(layers)['profile']
  // Of any other kind it is a mistake that is found below.
  const profile = typeof named === 'string' && named.trim() !== '' ? readProfile(named.trim(), home) : undefined
  const parts: readonly Part[] = [
    { section: file.section ?? {}, sourceOf: () => file.path, begin: 'forum' },
    { section: profile?.section ?? {}, sourceOf: () => profile?.path, begin: '', isProfile: true },
    { section: variables.section, sourceOf: (key) => variables.sources.get(key), begin: 'forum' },
    { section: flags.section, sourceOf: (key) => flags.sources.get(key), begin: 'forum', isFlags: true },
  ]
  const { profile: _named, ...section } = Object.assign({}, ...parts.map((part) => part.section)) as JsonRecord
  return {
    section,
    problems: [
      ...(profile?.problem === undefined ? [] : [`${profile.path}: ${profile.problem}`]),
      ...parts.flatMap(problemsOf),
      ...relationProblems(section, home).map((problem) => located(problem, parts)),
    ],
    warnings: [
      ...(profile?.section !== undefined && profile.isOpenToOthers ? [openFile(profile.path)] : []),
      ...keyWarnings(layers, profile?.section),
    ],
    located: (problem) => located(problem, parts),
  }
}

interface Part {
  readonly section: unknown
  sourceOf(key: string): string | undefined
  /** How places in it begin. */
  readonly begin: string
  readonly isProfile?: true
  readonly isFlags?: true
}

function keysOf({ file, variables, flags }: SectionLayers): JsonRecord {
  return { ...(isRecord(file.section) ? file.section : {}), ...variables.section, ...flags.section }
}

function problemsOf(part: Part): readonly string[] {
  const problems = sectionProblems(part.section)
  const nested = isRecord(part.section) && part.isProfile === true && part.section['profile'] !== undefined
  const another = { key: 'profile', place: 'profile', sentence: 'must not name another profile' }
  return [...problems, ...(nested ? [another] : [])].map((problem) => sentence(problem, part))
}

function sentence({ key, place, sentence }: KeyProblem, { sourceOf, begin, isFlags }: Part): string {
  // The flag is the key.
  const where = isFlags && place === key ? '' : [begin, place].filter((part) => part !== '').join('.')
  return [sourceOf(key), where, sentence].filter((part) => part !== undefined && part !== '').join(': ')
}

function located(problem: string, parts: readonly Part[]): string {
  const key = /^forum\.(\w+)/.exec(problem)?.[1] ?? ''
  const part = parts.findLast(({ section }) => isRecord(section) && section[key] !== undefined)
  const source = part?.sourceOf(key)
  return source === undefined ? problem : `${source}: ${problem}`
}

/** Keys that others can see. */
function keyWarnings({ file, variables, flags }: SectionLayers, profile: JsonRecord | undefined): readonly string[] {
  const argument = flags.sources.get('auth_pairs')
  if (argument !== undefined) {
    return [
      `${argument} was given on the command line, where other users of this machine can see its keys: put auth_pairs into a profile that is yours alone (chmod 600), and name that by --profile.`,
    ]
  }
  const isInFile = [variables.section, profile].every((section) => section?.['auth_pairs'] === undefined)
  const isWritten = isRecord(file.section) && file.section['auth_pairs'] !== undefined
  return isInFile && isWritten && file.path !== undefined && isOpenToOthers(file.path) ? [openFile(file.path)] : []
}

const openFile = (path: string): string => `${path} is open to other users, and may hold keys: run chmod 600 ${path}`
