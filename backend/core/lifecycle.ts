import { type Ctx, perLane } from './context.ts'

/**
 * Components register functions for start and stop when they are created. Phase `watch` runs first: components
 * subscribe to events before the open sale is published again. Phase `work` then starts queues and timers.
 */
type StartPhase = 'watch' | 'work'

const lifecycleOf = perLane(() => ({
  starts: { watch: [] as (() => void)[], work: [] as (() => void)[] },
  started: new Set<StartPhase>(),
  stops: new Set<() => unknown>(),
  isStopping: false,
}))

/** Runs `start` in its phase, in the order of registration; at once if the phase has already run. */
export function onStart(ctx: Ctx, start: () => void, phase: StartPhase = 'work'): void {
  const { starts, started } = lifecycleOf(ctx)
  if (started.has(phase)) start()
  else starts[phase].push(start)
}

export function startComponents(ctx: Ctx, phase: StartPhase): void {
  const { starts, started } = lifecycleOf(ctx)
  started.add(phase)
  for (const start of starts[phase]) start()
}

/** Runs `stop` when the lane stops, before its server closes. A returned promise is awaited. */
export function onStop(ctx: Ctx, stop: () => unknown): void {
  lifecycleOf(ctx).stops.add(stop)
}

/** Calls every stop function, and waits for the asynchronous ones. Their failures are logged. */
export async function stopComponents(ctx: Ctx): Promise<void> {
  const lifecycle = lifecycleOf(ctx)
  lifecycle.isStopping = true
  await Promise.all(
    [...lifecycle.stops].map(async (stop) => {
      try {
        await stop()
      } catch (error) {
        ctx.log.error({ err: error }, 'a component did not stop cleanly')
      }
    }),
  )
}

export const isStopping = (ctx: Ctx): boolean => lifecycleOf(ctx).isStopping

export function runLater(ctx: Ctx, ms: number, work: () => void): () => void {
  const { stops, isStopping } = lifecycleOf(ctx)
  if (isStopping) return () => undefined
  const cancelTimer = ctx.clock.after(ms, () => {
    stops.delete(cancelTimer)
    work()
  })
  stops.add(cancelTimer)
  return () => {
    stops.delete(cancelTimer)
    cancelTimer()
  }
}
