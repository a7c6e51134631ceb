import { displayUri } from '../output/rich-content.js'
import type { ModuleRequest, Runtime } from '../runtime/runtime.js'
import type { KernelPort } from '../session/loaded-session.js'
import { ModuleError, type ModuleErrorKind, moduleErrorKinds } from '../session/module-api.js'
import type { SessionService } from '../session/session-service.js'
import type { Kernel } from './kernel.js'
import type { KernelListener } from './kernel-house.js'
import type { Run } from './run.js'
import { callTool, callToolFromCell } from './tool-request.js'

/** What happens to kernels, told to their sessions; and what their code asks, answered by them. */
export function sessionListener(
  service: SessionService,
  docs: (params: ModuleRequest['params']) => Promise<string>,
): KernelListener {
  return {
    started(kernel, runtime) {
      // Only Python has the module; if the store is away, the first thing that the module asks tries again.
      if (runtime.python) service.kernelStarted(portOf(kernel, runtime)).catch(() => {})
    },
    ended: (kernel) => service.kernelEnded(kernel),
    runStarted(kernel, run) {
      service.cellStarted(kernel)
      service.publish(kernel.owner, 'run.started', { run_id: run.id, kernel: kernel.name })
    },
    runEnded(kernel, run) {
      service.cellEnded(kernel)
      const detached = run.liveCall === undefined
      void run.ended.then((report) => {
        const data = { run_id: run.id, kernel: kernel.name, status: report.status, success: report.success }
        service.publish(kernel.owner, 'run.finished', data)
        if (detached) service.publish(kernel.owner, report.success ? 'job.completed' : 'job.failed', data)
      })
    },
    shown(kernel, run, { n, mimeType }) {
      const tags = [mimeType, mimeType.split('/')[0]]
      service.publish(kernel.owner, 'artifact.created', { id: displayUri(run, n), run_id: run, tags })
    },
    async reset(kernel, _level, clearSession) {
      service.callbacksLost(kernel)
      if (clearSession) await service.clearSession(kernel)
    },
    request(kernel, request) {
      if (request.method === 'tool') return callToolFromCell(kernel.name, kernel.findRun(request.run ?? 0), request)
      if (request.method === 'docs') return answerDocs(docs(request.params), request)
      if (request.method === 'until_beat' || request.method === 'sleep_beats') tellIfItStands(kernel, service, request)
      if (!service.handle(kernel, request)) request.reject('UnavailableError', `${request.method} is not served.`)
    },
    notice: (kernel, method, params) => service.notice(kernel, method, params),
  }
}

/** A wait that only play() can end must not look like code that hangs: it says so in the run's stderr. */
function tellIfItStands(kernel: Kernel, service: SessionService, { method, params, run }: ModuleRequest): void {
  const clock = service.clockOf(kernel)
  if (run === null || clock?.state === 'playing') return
  const { state, position } = clock ?? { state: 'stopped', position: 0 }
  if (method === 'until_beat' && Number(params['beat']) <= position) return
  kernel.write(run, `${method} waits: the transport is ${state}, play() starts it\n`)
}

function answerDocs(text: Promise<string>, request: ModuleRequest): void {
  text.then(request.resolve, (error: unknown) => {
    const kind = error instanceof ModuleError ? error.kind : 'VibeError'
    request.reject(kind, error instanceof Error ? error.message : String(error))
  })
}

function portOf(kernel: Kernel, runtime: Runtime): KernelPort {
  return {
    key: kernel.key,
    owner: kernel.owner,
    get hasProcess() {
      return kernel.runtime === runtime
    },
    get busy() {
      return kernel.active?.cell !== undefined
    },
    tell(method, params) {
      // A kernel whose rules play is in use.
      if (method === 'fire') kernel.touch()
      runtime.python?.tell(method, { ...params })
    },
    callTool: (name, args) => calledWithin(kernel.active, name, args),
    notify: (text) => kernel.notice(text),
  }
}

function calledWithin(
  run: Run | undefined,
  name: string,
  args: { readonly [name: string]: unknown },
): Promise<unknown> {
  return new Promise((resolve, reject) =>
    callTool(run, {
      method: 'tool',
      params: { name, arguments: args },
      run: run?.id ?? null,
      signal: new AbortController().signal,
      resolve,
      reject: (kind, message) => reject(new ModuleError(kindOf(kind), message)),
    }),
  )
}

function kindOf(kind: string): ModuleErrorKind {
  return moduleErrorKinds.find((known) => known === kind) ?? 'VibeError'
}
