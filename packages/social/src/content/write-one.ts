import { failure, type SocialFailure } from '../envelope/failure.js'
import { postAttempts } from '../limits.js'
import type { ModelAnswer } from './model/language-model.js'
import { type Demand, type Examined, examine, type Fault } from './output/examine.js'
import { faultWords } from './output/fault-words.js'
import { isMendable, mended } from './output/mend.js'
import { roomBehind } from './reply-prefix.js'
import { tooLong } from './too-long.js'

/** Asks the model; `remark` says what was wrong with its last answer, and is empty the first time. */
export type Ask = (remark: string) => Promise<ModelAnswer>

/** One text that meets the demand. What is too long is asked for once more, then cut. */
export async function writeOne(
  ask: Ask,
  demand: Demand,
): Promise<{ readonly text: string; readonly warnings: readonly string[] }> {
  let faults: readonly Fault[] = []
  let mendable: Examined | undefined
  for (let attempt = 1; attempt <= postAttempts; attempt += 1) {
    const examined = examine(await ask(remarkOn(faults, demand)), demand)
    faults = examined.faults
    if (faults.length === 0) return { text: examined.text, warnings: [] }
    if (isMendable(faults)) mendable = examined
  }
  if (mendable === undefined) throw unusable(faults)
  const text = mended(mendable, demand)
  if (text === undefined) throw tooLong(mendable.text, demand.network)
  return { text, warnings: [cutWarning] }
}

export const cutWarning = 'The model wrote too much, so the text was cut at the end of a sentence.'

/** For the model; empty when nothing was wrong. */
export function remarkOn(faults: readonly Fault[], { prefix, network }: Demand): string {
  if (faults.length === 0) return ''
  const room = Math.floor(roomBehind(prefix, network) * 0.8)
  const shorter = isMendable(faults) ? ` Write it shorter: at most ${room} characters.` : ''
  return `Your last answer could not be used: ${inWords(faults)}.${shorter} Write it anew.`
}

export function unusable(faults: readonly Fault[]): SocialFailure {
  return failure(
    'llm_error',
    `The model's answers could not be used: ${inWords(faults)}. Ask again with other words, or write the text yourself.`,
    { retryable: false, details: { faults } },
  )
}

function inWords(faults: readonly Fault[]): string {
  return faults.map((fault) => faultWords[fault]).join('; ')
}
