import type { Fault } from './examine.js'

/** For the model, which may try again; and for whoever asked. */
export const faultWords: Readonly<Record<Fault, string>> = {
  too_long: 'it was too long',
  unfinished: 'it was so long that it was cut off',
  empty: 'it was empty',
  several: 'it was more than one text, with --- between them',
  leak: 'it repeated parts of its instructions',
  link: 'it had a link that nobody asked for',
  mention: 'it named an account that nobody asked for',
  too_few: 'it had too few parts, with --- between them',
  too_many: 'it had too many parts',
}
