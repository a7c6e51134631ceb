import type { TextIndex } from './text-index.js'

/** Makes something of a text once, and forgets it with the text. */
export function perText<Made>(make: (text: string) => Made): (index: TextIndex) => Made {
  const known = new WeakMap<TextIndex, { readonly made: Made }>()
  return (index) => {
    const found = known.get(index) ?? { made: make(index.text) }
    known.set(index, found)
    return found.made
  }
}
