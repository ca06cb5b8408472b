import PQueue from 'p-queue'

/** Works of one name run one after another, in the order in which they came. */
export interface KeyedMutex {
  run<Result>(name: string, work: () => Promise<Result>): Promise<Result>
}

export function createKeyedMutex(): KeyedMutex {
  const queues = new Map<string, PQueue>()
  return {
    run(name, work) {
      let queue = queues.get(name)
      if (!queue) {
        queue = new PQueue({ concurrency: 1 })
        queue.addEventListener('idle', () => queues.delete(name))
        queues.set(name, queue)
      }
      return queue.add(work)
    },
  }
}
