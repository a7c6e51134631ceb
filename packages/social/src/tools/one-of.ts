import { didYouMean } from '@callboard/worker'
import { z } from 'zod'

/** One of the names. Refusing another one it says which was probably meant; the schema shows all, as of an enum. */
export function oneOf<Name extends string>(names: readonly Name[]) {
  return z
    .string()
    .meta({ enum: [...names] })
    .transform((given, context): Name => {
      const found = names.find((name) => name === given)
      if (found !== undefined) return found
      context.addIssue({ code: 'custom', message: `must be one of ${names.join(', ')}${didYouMean(given, names)}` })
      return z.NEVER
    })
}
