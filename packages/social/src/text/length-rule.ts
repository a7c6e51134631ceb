/** How a network counts a text. */
export type LengthRule =
  /** Weighted, by twitter-text; at most 280. */
  | { readonly kind: 'weighted' }
  /** Graphemes and UTF-8 bytes; a URL counts as written. */
  | { readonly kind: 'graphemes'; readonly max: number; readonly bytesMax: number }
  /** Graphemes; each URL counts the same, and `@user@host` as `@user`. */
  | { readonly kind: 'short-urls'; readonly max: number; readonly urlLength: number }
