import { dirname, extname, join } from 'node:path'
import { parentPort, Worker, workerData } from 'node:worker_threads'

type Message<Result, Progress> = { readonly progress: Progress } | { readonly result: Result }

interface WorkerJob<Result> {
  readonly result: Promise<Result>
  stop(): void
}

/**
 * Returns the path of a worker in the folder of its caller. The caller passes `import.meta.filename`, and no other
 * expression: a build replaces exactly that by the path in the bundle, where workers are JavaScript.
 */
export const workerFile = (caller: string, name: string): string => join(dirname(caller), `${name}${extname(caller)}`)

/** Runs long work on a worker thread, so that the lane stays responsive. */
export function runInWorker<Result, Progress = never>(
  file: string,
  data: unknown,
  { onProgress, execArgv = [] }: { onProgress?: (progress: Progress) => void; execArgv?: readonly string[] } = {},
): WorkerJob<Result> {
  const worker = new Worker(file, { workerData: data, execArgv: [...execArgv] })
  return {
    result: new Promise((resolve, reject) => {
      worker.on('message', (message: Message<Result, Progress>) => {
        if ('progress' in message) onProgress?.(message.progress)
        else resolve(message.result)
      })
      worker.once('error', reject)
      // When the worker has sent a result or an error, this rejection has no effect.
      worker.once('exit', (code) => {
        reject(new Error(`the thread ended with ${code}`))
      })
    }),
    stop: () => void worker.terminate(),
  }
}

/** Called in the worker: computes the result from the data that `runInWorker` passed, and sends it. */
export async function answerInWorker<Data, Result, Progress = never>(
  compute: (data: Data, onProgress: (progress: Progress) => void) => Result | Promise<Result>,
): Promise<void> {
  const result = await compute(workerData as Data, (progress) => parentPort?.postMessage({ progress }))
  parentPort?.postMessage({ result })
}
