/** One hit, as agents see it. */
export interface SearchResult {
  readonly title: string
  /** http or https. */
  readonly url: string
  readonly snippet: string
  /** As the service writes it. */
  readonly published?: string
}

/** What is sent. Only the headers hold keys. */
export interface ServiceRequest {
  readonly url: string
  readonly method: 'GET' | 'POST'
  readonly headers: { readonly [name: string]: string }
  readonly body?: string
}

export interface ServiceAnswer {
  readonly status: number
  readonly contentType: string
  readonly text: string
}

/** One search service: what to ask it, and how to read what it says. Knows nothing of the network. */
export interface SearchProvider {
  readonly name: 'searxng' | 'brave' | 'perplexity'
  /** The variable that says where it is. */
  readonly urlVariable: string
  /** Of a query that the service does not take whole, what it takes. */
  shorten?(query: string): string
  request(query: string): ServiceRequest
  /** The raw hits, or undefined when this is not the service's answer. */
  hits(json: unknown): readonly RawHit[] | undefined
  /** Why this answer means that the service is not set up for us. Undefined: it does not mean that. */
  misconfigured(answer: ServiceAnswer): string | undefined
}

/** As the service has it; whoever asks brings it into shape. */
export interface RawHit {
  readonly title: unknown
  readonly url: unknown
  readonly snippet: unknown
  readonly published: unknown
}
