/** Who waits until something is so. */
export class Waiting {
  #waiting: { readonly isSo: () => boolean; readonly resolve: () => void }[] = []

  until(isSo: () => boolean): Promise<void> {
    if (isSo()) return Promise.resolve()
    return new Promise((resolve) => this.#waiting.push({ isSo, resolve }))
  }

  /** Something has changed. */
  look(): void {
    const ready = this.#waiting.filter(({ isSo }) => isSo())
    this.#waiting = this.#waiting.filter((each) => !ready.includes(each))
    for (const { resolve } of ready) resolve()
  }
}
