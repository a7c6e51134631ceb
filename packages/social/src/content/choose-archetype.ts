import { type Archetype, archetypes } from './content-writer.js'

const weights: Readonly<Record<Archetype, number>> = {
  agree_and_expand: 30,
  ask_question: 25,
  share_experience: 20,
  add_data: 15,
  respectful_disagree: 10,
}

const total = archetypes.reduce((sum, archetype) => sum + weights[archetype], 0)

/** By weight. `fraction`: 0 to 1, 1 excluded. */
export function chooseArchetype(fraction: number): Archetype {
  let left = fraction * total
  for (const archetype of archetypes) {
    left -= weights[archetype]
    if (left < 0) return archetype
  }
  return archetypes.at(-1)!
}
