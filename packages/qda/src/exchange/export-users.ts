import type { RefiUser } from '../refi/model.js'
import type { ExportGuids } from './export-guids.js'

/** Whoever is named as the author of something. */
export class ExportUsers {
  readonly #guids: ExportGuids
  readonly #users = new Map<string, RefiUser>()

  constructor(guids: ExportGuids) {
    this.#guids = guids
  }

  guidOf(name: unknown): string | null {
    if (typeof name !== 'string' || name === '') return null
    let user = this.#users.get(name)
    if (user === undefined) {
      const guid = this.#guids.of('user', name, this.#guids.kept.ofName('user', name))
      user = { guid, name, id: null }
      this.#users.set(name, user)
    }
    return user.guid
  }

  /** By name. */
  get all(): readonly RefiUser[] {
    return [...this.#users.values()].sort((one, other) => (one.name! < other.name! ? -1 : 1))
  }
}
