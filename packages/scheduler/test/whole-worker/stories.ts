import type { Fields, WholeWorker } from '../support/whole-worker.js'

export const minute = 60_000
export const hour = 60 * minute
export const period = 10 * minute

/** A task that fires each {@link period}. */
export const often = {
  prompt: 'Look.',
  schedule_type: 'interval',
  schedule_value: String(period),
  context_mode: 'isolated',
}

/** A task that runs at once. */
export const soon = {
  prompt: 'Go on.',
  schedule_type: 'once',
  schedule_value: '2020-01-01T00:00:00',
  allow_past: true,
}

/** The admin group in a groups file. */
export function main(more: Fields): Fields {
  return {
    folder: 'main',
    tag: 'main',
    name: 'Main',
    admin: true,
    runner: { kind: 'command', argv: ['agent'] },
    ...more,
  }
}

export async function tasksOf(whole: WholeWorker, caller = 'lab'): Promise<readonly Fields[]> {
  return (await whole.ask(caller, 'list_tasks'))['tasks'] as readonly Fields[]
}
