import type { Store } from '@callboard/store'
import { storable } from '@callboard/store'
import type { Clock } from '@callboard/worker/clock'
import type { Group, RunnerConfig } from '../groups/group.js'
import { longTextMax, turnsKeptMax, turnsShownCharactersMax, turnsShownMax } from '../limits.js'
import type { SchedulerSchema } from '../records/schema.js'

export interface Turn {
  readonly role: 'user' | 'assistant'
  readonly content: string
}

/** What each group's runner remembers from run to run: the session id of its program, or what was said. */
export class Conversations {
  readonly #store: Store<SchedulerSchema>
  readonly #clock: Pick<Clock, 'now'>

  constructor(store: Store<SchedulerSchema>, clock: Pick<Clock, 'now'>) {
    this.#store = store
    this.#clock = clock
  }

  /** Undefined when there is none yet, or when it is another program's. */
  async sessionOf(group: Group): Promise<string | undefined> {
    const row = await this.#store.db
      .selectFrom('sessions')
      .select(['session_id', 'runner'])
      .where('group_folder', '=', group.folder)
      .executeTakeFirst()
    return row !== undefined && row.runner === runnerKey(group.runner) ? row.session_id : undefined
  }

  async saveSession(group: Group, sessionId: string): Promise<void> {
    const session = { session_id: sessionId, runner: runnerKey(group.runner), updated_at: this.#clock.now() }
    await this.#store.db
      .insertInto('sessions')
      .values({ group_folder: group.folder, ...session })
      .onConflict((own) => own.column('group_folder').doUpdateSet(session))
      .execute()
  }

  /** The last turns, oldest first, as far as they are meant for a model; the first is a user's. */
  async conversationOf(group: Group): Promise<readonly Turn[]> {
    const rows = await this.#store.db
      .selectFrom('turns')
      .select(['role', 'content'])
      .where('group_folder', '=', group.folder)
      .orderBy('id', 'desc')
      .limit(turnsShownMax)
      .execute()
    const shown = withinCharacters(rows, turnsShownCharactersMax).reverse()
    // An answer whose question was cut off would stand for nothing.
    const first = shown.findIndex(({ role }) => role === 'user')
    return first < 0 ? [] : shown.slice(first)
  }

  async appendTurns(group: Group, turns: readonly Turn[]): Promise<void> {
    const at = this.#clock.now()
    const rows = turns.map(({ role, content }) => ({
      group_folder: group.folder,
      role,
      content: storable(content, 2 * longTextMax),
      at,
    }))
    await this.#store.transaction(async (db) => {
      await db.insertInto('turns').values(rows).execute()
      const oldest = await db
        .selectFrom('turns')
        .select('id')
        .where('group_folder', '=', group.folder)
        .orderBy('id', 'desc')
        .offset(turnsKeptMax - 1)
        .limit(1)
        .executeTakeFirst()
      if (oldest === undefined) return
      await db.deleteFrom('turns').where('group_folder', '=', group.folder).where('id', '<', oldest.id).execute()
    })
  }
}

/** Newest first; a turn that does not fit ends the list, as what is before it would have lost its sequel. */
function withinCharacters(turns: readonly Turn[], charactersMax: number): Turn[] {
  let left = charactersMax
  const first = turns.findIndex(({ content }) => {
    left -= content.length
    return left < 0
  })
  return turns.slice(0, first < 0 ? turns.length : first)
}

/** Whose session an id is. Options are no part of it: another model may continue a conversation. */
function runnerKey(runner: RunnerConfig | undefined): string {
  if (runner?.kind !== 'command') return 'http'
  const options = runner.argv.findIndex((argument, index) => index > 0 && argument.startsWith('-'))
  const program = options < 0 ? runner.argv : runner.argv.slice(0, options)
  return storable(`command:${program.join(' ')}`, 500)
}
