import type { RunError, Runner, RunRequest } from './runner.js'

export interface Runners {
  readonly command: Runner
  readonly http: Runner
  readonly tool: Runner
}

/** What carries a request out; an error when its group can't. */
export function runnerFor({ tool, group }: RunRequest, runners: Runners): Runner | RunError {
  if (tool !== undefined) return runners.tool
  if (group.runner !== undefined) return runners[group.runner.kind]
  return {
    class: 'bad_config',
    text: `Group ${group.folder} has no runner, so nothing can read this prompt: add a runner to its entry in the groups file, or give the task a tool.`,
    transient: false,
  }
}
