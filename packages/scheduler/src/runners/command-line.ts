import type { CommandRunnerConfig } from '../groups/group.js'

/** Program and arguments, each placeholder replaced by one argument; a string is what is wrong with the configuration. */
export function commandLine(
  { argv, sessionArgs, model }: CommandRunnerConfig,
  groupDirectory: string,
  sessionId: string | undefined,
): readonly [string, ...string[]] | string {
  const values: Readonly<Record<string, string | undefined>> = {
    '{model}': model,
    '{group_dir}': groupDirectory,
    '{session_id}': sessionId,
  }
  const filled: string[] = []
  for (const argument of sessionId === undefined ? argv : [...argv, ...sessionArgs]) {
    const value = Object.hasOwn(values, argument) ? values[argument] : argument
    if (value === undefined) return missing(argument)
    filled.push(value)
  }
  const [program, ...rest] = filled
  return program === undefined || program === '' ? 'argv names no program.' : [program, ...rest]
}

function missing(placeholder: string): string {
  return placeholder === '{session_id}'
    ? '{session_id} stands in argv: move it to session_args, which are only used when there is a session.'
    : `argv has ${placeholder}, but the runner has no model: add one, or remove the argument.`
}
