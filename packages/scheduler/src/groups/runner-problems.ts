import { didYouMean } from '@callboard/worker/nearest-name'
import type { GroupEntry } from './group-entry.js'

/** What is wrong with a path into a command's output, e.g. with `session_from`; undefined: nothing. */
export type ExtractionCheck = (text: string) => string | undefined

type CommandRunner = Extract<NonNullable<GroupEntry['runner']>, { readonly kind: 'command' }>

const placeholders = ['session_id', 'model', 'group_dir']

/** Mistakes of a command that show only where its parts are seen together. */
export function runnerProblems(
  { runner }: GroupEntry,
  n: number,
  extractionProblem: ExtractionCheck = () => undefined,
): readonly string[] {
  if (runner?.kind !== 'command') return []
  const problems = [
    ...argumentProblems(runner, 'argv'),
    ...argumentProblems(runner, 'session_args'),
    ...sessionProblems(runner),
    ...(['session_from', 'result_from'] as const).flatMap((key) => {
      const problem = runner[key] === undefined ? undefined : extractionProblem(runner[key])
      return problem === undefined ? [] : [`${key}: ${problem}`]
    }),
  ]
  return problems.map((problem) => `groups[${n}].runner.${problem}`)
}

function argumentProblems(runner: CommandRunner, key: 'argv' | 'session_args'): readonly string[] {
  return runner[key].flatMap((argument, n) => {
    const name = /^\{([a-z_]+)\}$/.exec(argument)?.[1]
    if (name !== undefined && !placeholders.includes(name)) {
      return [`${key}[${n}]: {${name}} stands for nothing${didYouMean(name, placeholders)}`]
    }
    if (key === 'argv' && argument.includes('{session_id}')) {
      return [`argv[${n}]: {session_id} belongs into session_args, which are left out where there is no session yet`]
    }
    if (argument.includes('{model}') && runner.model === undefined) {
      return [`${key}[${n}]: {model} needs the runner's model`]
    }
    const part = name === undefined ? placeholders.find((each) => argument.includes(`{${each}}`)) : undefined
    return part === undefined ? [] : [`${key}[${n}]: {${part}} is only filled where it is the whole argument`]
  })
}

function sessionProblems({ session_args, session_from }: CommandRunner): readonly string[] {
  if (session_from !== undefined || !session_args.some((argument) => argument.includes('{session_id}'))) return []
  return ['session_from: must say where the output tells the session id that session_args pass on']
}
