/** One question. The model gets no tools and no earlier questions. */
export interface ModelRequest {
  /** For the record of what was spent: `reply`, `tweet`, `thread`. */
  readonly purpose: string
  readonly system: string
  readonly user: string
  readonly maxTokens: number
  readonly temperature: number
  /** Who it is done for. */
  readonly principal?: string
}

export interface ModelAnswer {
  /** As the model wrote it: anything. */
  readonly text: string
  /** It wanted to write more than it may. */
  readonly isCut: boolean
}

/** Where the model can be asked which models there are. */
export interface ModelCheck {
  readonly status: 'ok' | 'error'
  readonly message: string
}

/** Rejects with a SocialFailure `llm_error`, or with the signal's reason. */
export interface LanguageModel {
  ask(request: ModelRequest, signal?: AbortSignal): Promise<ModelAnswer>
  /** Never rejects. */
  check(): Promise<ModelCheck>
}
