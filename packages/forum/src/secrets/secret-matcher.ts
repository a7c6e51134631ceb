import { secretLengthMin } from '../limits.js'
import type { SecretForm } from './secret-forms.js'

/**
 * Finds secrets in texts, in one pass whose time depends on the length of the text: at each place it looks at no more than the
 * longest head, unless it has found a secret, which it then leaves behind.
 */
export class SecretMatcher {
  readonly #root = new HeadNode()
  readonly #beginnings = new Uint8Array(2 ** 16)

  constructor(forms: Iterable<SecretForm>) {
    for (const { text, headLength } of forms) {
      this.#beginnings[text.charCodeAt(0)] = 1
      this.#root.at(text.slice(0, headLength)).forms.push(text)
    }
    this.#root.sort()
  }

  /** With `replacement` in the place of each; the text itself where there is none. */
  replace(text: string, replacement: string): string {
    const parts: string[] = []
    let kept = 0
    for (let at = 0; at + secretLengthMin <= text.length; at += 1) {
      if (this.#beginnings[text.charCodeAt(at)] === 0) continue
      const length = this.#lengthAt(text, at)
      if (length === 0) continue
      parts.push(text.slice(kept, at), replacement)
      kept = at + length
      at = kept - 1
    }
    return parts.length === 0 ? text : [...parts, text.slice(kept)].join('')
  }

  /** Of the longest secret, or beginning of one, that stands there; 0 for none. */
  #lengthAt(text: string, at: number): number {
    let length = 0
    let node: HeadNode | undefined = this.#root
    for (let depth = 0; node !== undefined; depth += 1) {
      if (node.forms.length > 0) length = Math.max(length, matchedLength(node.forms, text, at, depth))
      node = node.next.get(text.charCodeAt(at + depth))
    }
    return length
  }
}

/** Characters that all heads below have in common. */
class HeadNode {
  readonly next = new Map<number, HeadNode>()
  /** Those whose head ends here; sorted, so that the one that goes on furthest is found among many. */
  readonly forms: string[] = []

  at(head: string): HeadNode {
    let node: HeadNode = this
    for (let index = 0; index < head.length; index += 1) {
      const code = head.charCodeAt(index)
      const next = node.next.get(code) ?? new HeadNode()
      node.next.set(code, next)
      node = next
    }
    return node
  }

  sort(): void {
    this.forms.sort(byCode)
    for (const node of this.next.values()) node.sort()
  }
}

/** Of forms that all begin with the `head` characters there: how far the best goes on. */
function matchedLength(forms: readonly string[], text: string, at: number, head: number): number {
  let [low, high] = [0, forms.length]
  while (low < high) {
    const middle = (low + high) >>> 1
    const form = forms[middle]!
    const common = commonLength(form, text, at, head)
    if (common === form.length) low = middle + 1
    else if (form.charCodeAt(common) < text.charCodeAt(at + common)) low = middle + 1
    else high = middle
  }
  // Those with the most in common stand on both sides of the place where the text itself would.
  const lengths = [forms[low - 1], forms[low]].map((form) => {
    if (form === undefined) return 0
    const common = commonLength(form, text, at, head)
    return common === form.length ? common : withoutEndOfText(text, at, common, head)
  })
  return Math.max(...lengths)
}

function commonLength(form: string, text: string, at: number, from: number): number {
  let length = from
  while (length < form.length && form.charCodeAt(length) === text.charCodeAt(at + length)) length += 1
  return length
}

/** A quote after a secret that was cut off is rather the end of a text in JSON than the secret's. */
function withoutEndOfText(text: string, at: number, length: number, head: number): number {
  let end = length
  while (end > head && /["\\]/.test(text.charAt(at + end - 1))) end -= 1
  return end
}

const byCode = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)
