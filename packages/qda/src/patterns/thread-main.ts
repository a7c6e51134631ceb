import type { MessagePort } from 'node:worker_threads'
import type { BeginMessage, FoundMessage, FromThread, ToThread } from './thread-messages.js'

/**
 * What the thread does: one answer to each message. It is started from its own source text, so that it runs the same built
 * or not: it must use nothing from outside itself but what every JavaScript has.
 */
export function threadMain(port: MessagePort): void {
  let query: BeginMessage
  let expression: RegExp
  let left = 0

  function begin(message: BeginMessage): FromThread {
    query = message
    expression = new RegExp(query.source, query.flags)
    left = query.limitTotal
    // The empty alternative always matches, and shows how many groups there are.
    const groups = query.withGroup ? new RegExp(`${query.source}|`, query.flags).exec('')!.length - 1 : 1
    return groups > 0 ? { kind: 'begun' } : { kind: 'invalid', reason: 'It has no group (...) that takes the label' }
  }

  function search(texts: readonly string[]): FoundMessage {
    const rows: number[] = []
    let isCut = false
    let isFull = false
    for (let index = 0; index < texts.length && !isFull; index++) {
      let room = query.limitPerText
      for (const match of wantedOf(texts[index]!)) {
        isFull = left === 0
        if (isFull || room-- === 0) {
          isCut = true
          break
        }
        add(rows, index, match)
      }
    }
    return { kind: 'found', rows: Int32Array.from(rows), isCut, isFull }
  }

  function* wantedOf(text: string): Generator<RegExpExecArray> {
    let last: RegExpExecArray | undefined
    for (const match of matchesOf(text)) {
      if (query.scope !== 'last') yield match
      if (query.scope === 'first') return
      last = match
    }
    if (query.scope === 'last' && last !== undefined) yield last
  }

  /** From left to right, without the empty ones. */
  function* matchesOf(text: string): Generator<RegExpExecArray> {
    expression.lastIndex = 0
    for (let match = expression.exec(text); match !== null; match = expression.exec(text)) {
      if (match[0] !== '') yield match
      else expression.lastIndex += text.codePointAt(match.index)! > 0xffff ? 2 : 1
    }
  }

  function add(rows: number[], text: number, match: RegExpExecArray): void {
    const [groupStart, groupEnd] = match.indices?.[1] ?? [-1, -1]
    rows.push(text, match.index, match.index + match[0].length, groupStart, groupEnd)
    left--
  }

  port.on('message', (message: ToThread) => {
    try {
      port.postMessage(message.kind === 'begin' ? begin(message) : search(message.texts))
    } catch (error) {
      port.postMessage({ kind: 'invalid', reason: (error as Error).message } satisfies FromThread)
    }
  })
}
