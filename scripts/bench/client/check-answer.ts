import type { CallTexts } from './call-texts.js'
import { idInCanary } from './payload.js'

const textKey = '"text":"'

/**
 * The id that a message answers, by its canary; undefined: it is no answer to a call. Cheap, and no answer to another call, no
 * failure and no cut text passes.
 * @throws with what is wrong with it
 */
export function checkAnswer(message: string, { payload }: CallTexts): number | undefined {
  const at = message.indexOf(textKey)
  if (at === -1) {
    if (message.includes('"method":')) return undefined
    throw new Error(`no answer to a call: ${excerpt(message)}`)
  }
  const id = idInCanary(message, at + textKey.length)
  if (!names(message, id)) throw new Error(`the canary of ${id} is in another's answer: ${excerpt(message)}`)
  if (message.length < payload.textBytes * payload.repeat) throw new Error(`cut: ${excerpt(message)}`)
  return id
}

/** Reads the message whole. @throws with what is wrong with it */
export function checkWhole(message: string, id: number, texts: CallTexts): void {
  const { jsonrpc, id: answered, result } = JSON.parse(message)
  const [{ type, text }, ...more] = result.content
  const isRight = jsonrpc === '2.0' && answered === id && result.isError !== true && more.length === 0
  if (!isRight || type !== 'text' || text !== texts.answerText(id)) {
    throw new Error(`a wrong answer to ${id}: ${excerpt(message)}`)
  }
}

/** As its id, not as the beginning of another. */
function names(message: string, id: number): boolean {
  const key = `"id":${id}`
  const at = message.indexOf(key)
  const after = message.charCodeAt(at + key.length)
  return at !== -1 && !(after >= 0x30 && after <= 0x39)
}

function excerpt(message: string): string {
  return message.length > 300 ? `${message.slice(0, 300)}…` : message
}
