import { ScaleStage, type StageSize } from './scale-stage.js'

/** The stages of one experiment, all open at the same time. */
export class ScaleStages implements AsyncDisposable {
  readonly #stages: ScaleStage[] = []

  async open(size: StageSize): Promise<ScaleStage> {
    const stage = await ScaleStage.open(size)
    this.#stages.push(stage)
    return stage
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#stages.map((stage) => stage[Symbol.asyncDispose]()))
  }
}
