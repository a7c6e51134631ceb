import { RE2JS } from 're2js'
import type { CompilePattern } from '../../src/policy/argument-schema.js'
import { parsePolicy } from '../../src/policy/parse-policy.js'
import { Policy } from '../../src/policy/policy.js'

export const patterns: CompilePattern = (pattern) => {
  const compiled = RE2JS.compile(pattern)
  return { work: compiled.programSize(), test: (text) => compiled.test(text) }
}

/** A policy of which nothing may be wrong. */
export function policyOf(file: object): Policy {
  const parsed = parsePolicy(JSON.stringify(file), patterns)
  if ('problems' in parsed) throw new Error(parsed.problems.join('\n'))
  return new Policy(parsed.content)
}

export function problemsOf(file: unknown): readonly string[] {
  const parsed = parsePolicy(typeof file === 'string' ? file : JSON.stringify(file), patterns)
  return 'problems' in parsed ? parsed.problems : []
}
