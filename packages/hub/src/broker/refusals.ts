import type { DefinitionKind, DefinitionVerdicts } from '@callboard/protocol'
import type { HeldDefinition } from '../pinning/pinning.js'

/** What a worker is told of a definition that is not in force. */
export type Verdict = DefinitionVerdicts['refused'][number]

/** A definition of the listed version that is not in force. */
export interface Refusal {
  readonly kind: DefinitionKind
  /** As the worker has it. */
  readonly workerKey: string
  /** What is wrong with it, or the name that another has. */
  readonly why: { readonly problem: string } | { readonly taken: string; readonly holder: string }
}

/** The service that has a name now. */
export interface Holder {
  readonly service: string
  /** UTC ms; undefined: it is there. */
  readonly awaySince: number | undefined
}

/** `holder`: whose the name is now, which may be nobody's since it was refused. */
export function verdictOf({ kind, workerKey, why }: Refusal, holder: Holder | undefined): Verdict {
  const name = shortName(workerKey)
  if ('problem' in why) return { kind, name, code: 'invalid', message: why.problem }
  const message =
    holder === undefined
      ? `${why.taken} belonged to ${why.holder} and is free now: restart the worker, or let it send its definitions again`
      : `${why.taken} belongs to ${holder.service}${remedyAgainst(holder)}`
  return { kind, name, code: 'name_taken', message, holder: holder?.service ?? why.holder }
}

/** Of what no operator has accepted. */
export function heldBack({ kind, workerKey, name }: HeldDefinition): Verdict {
  const message = `no operator has accepted this definition: see it with "callboard tools diff ${shortName(name)}"`
  return { kind, name: shortName(workerKey), code: 'held_back', message }
}

/** Of what a replica of another edition has otherwise than the one in force, or alone. */
export function quarantine(
  kind: DefinitionKind,
  workerKey: string,
  listedVersion: string,
  how: 'missing' | 'different',
): Verdict {
  const what = how === 'missing' ? `has no such ${kind}` : `has another definition of this ${kind}`
  const message = `version ${listedVersion} of this service is in force and ${what}`
  return { kind, name: shortName(workerKey), code: 'quarantined', message }
}

function remedyAgainst({ service, awaySince }: Holder): string {
  if (awaySince === undefined) return '; rename it, or set "namespace": "always"'
  const since = `${new Date(awaySince).toISOString().slice(0, 16)}Z`
  return `, which is away since ${since}; free its names with "callboard forget ${service}"`
}

/** An invalid name may be as long as anything. */
const shortName = (workerKey: string): string => workerKey.slice(0, 128)
