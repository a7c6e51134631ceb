import { threadAttempts, threadPartsMax, threadPartsMin } from '../limits.js'
import type { ModelAnswer } from './model/language-model.js'
import { type Demand, type Examined, examine, type Fault } from './output/examine.js'
import { isMendable, mended } from './output/mend.js'
import { splitParts } from './output/split-parts.js'
import { tooLong } from './too-long.js'
import { type Ask, cutWarning, remarkOn, unusable } from './write-one.js'

/** The parts of a thread, each as demanded; `wanted` of them, or any number that a thread may have. */
export async function writeThread(
  ask: Ask,
  demand: Demand,
  wanted: number | undefined,
): Promise<{ readonly texts: readonly string[]; readonly warnings: readonly string[] }> {
  let faults: readonly Fault[] = []
  let mendable: readonly Examined[] | undefined
  for (let attempt = 1; attempt <= threadAttempts; attempt += 1) {
    const parts = examineParts(await ask(remarkOn(faults, demand)), demand)
    faults = faultsOf(parts, wanted)
    if (faults.length === 0) return { texts: parts.map(({ text }) => text), warnings: [] }
    if (isMendable(faults)) mendable = parts
  }
  if (mendable === undefined) throw unusable(faults)
  return { texts: mendable.map((part) => mendedPart(part, demand)), warnings: [cutWarning] }
}

function examineParts({ text, isCut }: ModelAnswer, demand: Demand): readonly Examined[] {
  const texts = splitParts(text)
  return texts.map((part, index) => examine({ text: part, isCut: isCut && index === texts.length - 1 }, demand))
}

function faultsOf(parts: readonly Examined[], wanted: number | undefined): readonly Fault[] {
  if (parts.length === 0) return ['empty']
  const [least, most] = wanted === undefined ? [threadPartsMin, threadPartsMax] : [wanted, wanted]
  const count: readonly Fault[] = parts.length < least ? ['too_few'] : parts.length > most ? ['too_many'] : []
  return [...new Set([...count, ...parts.flatMap(({ faults }) => faults)])]
}

function mendedPart(part: Examined, demand: Demand): string {
  if (part.faults.length === 0) return part.text
  const text = mended(part, demand)
  if (text === undefined) throw tooLong(part.text, demand.network)
  return text
}
