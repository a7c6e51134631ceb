import type { DefinitionKind } from '@callboard/protocol'

export interface CatalogueOptions {
  /** `always`: agents see `service_name` instead of `name`. */
  readonly namespace: 'never' | 'always'
  /** Finds fault with a definition beyond its form; a client must be able to read every listed one. */
  readonly inspect: (kind: DefinitionKind, value: { readonly [key: string]: unknown }) => string | undefined
}
