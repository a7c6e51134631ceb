import type { Foundation } from '../../src/foundation.js'

type Store = Foundation['store']

/** A database of which every statement ends like this: `() => { throw … }`, or with a promise that never settles. */
export function brokenStore(execute: () => unknown): Store {
  const statement: object = new Proxy(
    {},
    { get: (_, key) => (String(key).startsWith('execute') ? async () => execute() : () => statement) },
  )
  return { dialect: 'sqlite', db: statement, transaction: async () => execute() } as unknown as Store
}

/** The same foundation over another store. */
export function withStore<Given extends Foundation>(foundation: Given, store: Store): Given {
  return Object.create(foundation, { store: { value: store } }) as Given
}
