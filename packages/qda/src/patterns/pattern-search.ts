import type { Clock } from '@callboard/worker/clock'
import { QdaFailure } from '../failure.js'
import { patternMatchesMax, patternThreadIdleMs, patternThreadsMax } from '../limits.js'
import { type Expression, expressionOf, type PatternForm } from './expression.js'
import { FoundMatches, type PatternMatch, type PatternMatches } from './found-matches.js'
import { SearchThread } from './search-thread.js'
import { batchesOf, type SearchedText } from './text-batches.js'
import type { FoundMessage, FromThread, MatchScope } from './thread-messages.js'
import { TimedThread } from './timed-thread.js'
import { WaitingLine } from './waiting-line.js'

export interface PatternQuery extends PatternForm {
  readonly scope: MatchScope
  /** Of scope `all`, at least 1. */
  readonly limitPerText?: number
  readonly limitTotal?: number
  /** Matches then have the place of group 1, which the pattern must have. */
  readonly withGroup?: boolean
  readonly signal?: AbortSignal
}

/** Gets each text that has matches, in order: a search does not hold the texts until its end. */
export type TakeMatches<Id> = (text: SearchedText<Id>, matches: readonly PatternMatch[]) => Promise<void> | void

/**
 * Searches texts for patterns of agents in threads that can be stopped, so that no pattern holds up the worker. Threads stay
 * for the next search for a while; `close` ends them.
 */
export class PatternSearch {
  readonly #clock: Clock
  readonly #timeoutMs: number
  readonly #line = new WaitingLine(patternThreadsMax)
  readonly #threads = new Set<SearchThread>()
  /** Threads that wait for a search; the signal goes off when they get one. */
  readonly #idle = new Map<SearchThread, AbortController>()
  #isClosed = false

  constructor({ clock, timeoutMs }: { readonly clock: Clock; readonly timeoutMs: number }) {
    this.#clock = clock
    this.#timeoutMs = timeoutMs
  }

  /**
   * From left to right, without overlap and without empty matches. Texts are read while others are searched.
   *
   * Throws QdaFailure INVALID_PATTERN, PATTERN_TIMEOUT, or WORKER_UNAVAILABLE after `close`; and the signal's reason.
   */
  async search<Id>(
    texts: AsyncIterable<SearchedText<Id>> | Iterable<SearchedText<Id>>,
    query: PatternQuery,
    take: TakeMatches<Id> = () => undefined,
  ): Promise<PatternMatches<Id>> {
    const expression = expressionOf(query)
    await this.#line.enter(query.signal)
    try {
      if (this.#isClosed) throw closed()
      return await this.#searchInThread(texts, expression, query, take)
    } catch (error) {
      throw this.#isClosed ? closed() : error
    } finally {
      this.#line.leave()
    }
  }

  /** Searches that run or wait are given up. */
  async close(): Promise<void> {
    this.#isClosed = true
    for (const given of this.#idle.values()) given.abort()
    this.#idle.clear()
    await Promise.all([...this.#threads].map((thread) => this.#end(thread)))
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }

  async #searchInThread<Id>(
    texts: AsyncIterable<SearchedText<Id>> | Iterable<SearchedText<Id>>,
    expression: Expression,
    query: PatternQuery,
    take: TakeMatches<Id>,
  ): Promise<PatternMatches<Id>> {
    const thread = this.#takeThread()
    const timed = new TimedThread(thread, { clock: this.#clock, timeoutMs: this.#timeoutMs, signal: query.signal })
    try {
      await begin(timed, expression, query)
      return await searchBatches(timed, texts, take)
    } finally {
      if (timed.isFree) this.#keep(thread)
      else await this.#end(thread)
    }
  }

  #takeThread(): SearchThread {
    for (const [thread, given] of this.#idle) {
      this.#idle.delete(thread)
      given.abort()
      if (!thread.hasEnded) return thread
      this.#threads.delete(thread)
    }
    const thread = new SearchThread()
    this.#threads.add(thread)
    return thread
  }

  #keep(thread: SearchThread): void {
    const given = new AbortController()
    this.#idle.set(thread, given)
    void this.#clock.sleepUntil(this.#clock.now() + patternThreadIdleMs, given.signal).then(() => {
      if (given.signal.aborted) return
      this.#idle.delete(thread)
      return this.#end(thread)
    })
  }

  async #end(thread: SearchThread): Promise<void> {
    this.#threads.delete(thread)
    await thread.end()
  }
}

async function begin(thread: TimedThread, { source, flags }: Expression, query: PatternQuery): Promise<void> {
  const withGroup = query.withGroup ?? false
  const answer = await thread.ask({
    kind: 'begin',
    source,
    flags: withGroup ? `${flags}d` : flags,
    scope: query.scope,
    withGroup,
    limitPerText: query.limitPerText ?? patternMatchesMax,
    limitTotal: Math.min(query.limitTotal ?? patternMatchesMax, patternMatchesMax),
  })
  if (answer.kind === 'invalid') throw invalid(answer.reason)
}

/** While the thread is at one batch, the next one is read. */
async function searchBatches<Id>(
  thread: TimedThread,
  texts: AsyncIterable<SearchedText<Id>> | Iterable<SearchedText<Id>>,
  take: TakeMatches<Id>,
): Promise<PatternMatches<Id>> {
  const found = new FoundMatches<Id>()
  let searching: Promise<void> = Promise.resolve()
  for await (const batch of batchesOf(texts)) {
    await searching
    if (found.isFull) break
    searching = thread.ask({ kind: 'texts', texts: batch.map(({ text }) => text) }).then(async (answer) => {
      for (const [text, matches] of found.add(batch, foundIn(answer))) await take(text, matches)
    })
    // It is awaited above or below; until then nobody may call it unhandled.
    searching.catch(() => undefined)
  }
  await searching
  return found.matches
}

function foundIn(answer: FromThread): FoundMessage {
  switch (answer.kind) {
    case 'found':
      return answer
    case 'invalid':
      throw invalid(answer.reason)
    case 'begun':
      throw new Error('The thread of the search answered another question.')
    default:
      return answer satisfies never
  }
}

/** V8 repeats the pattern before its reason. */
function invalid(message: string): QdaFailure {
  const reason = message.replace(/^Invalid regular expression: .*\/[a-z]*: /s, '')
  return new QdaFailure('INVALID_PATTERN', `The pattern can't be used: ${reason}.`, { details: { reason } })
}

function closed(): QdaFailure {
  return new QdaFailure('WORKER_UNAVAILABLE', 'The worker is stopping; call again in a moment.')
}
