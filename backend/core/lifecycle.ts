import { type Ctx, perLane } from './context.ts'

/**
 * A part of the lane registers what it does at the start and at the stop when it is made. `watch` comes first: it
 * subscribes to what the open sale causes, before that sale is shown again. `work` then starts queues and timers.
 */
type StartPhase = 'watch' | 'work'

const lifecycleOf = perLane(() => ({
  starts: { watch: [] as (() => void)[], work: [] as (() => void)[] },
  started: new Set<StartPhase>(),
  stops: new Set<() => unknown>(),
  isStopping: false,
}))

/** Runs `start` when the lane starts, in the order of registration; at once if that phase is over. */
export function onStart(ctx: Ctx, start: () => void, phase: StartPhase = 'work'): void {
  const { starts, started } = lifecycleOf(ctx)
  if (started.has(phase)) start()
  else starts[phase].push(start)
}

export function startParts(ctx: Ctx, phase: StartPhase): void {
  const { starts, started } = lifecycleOf(ctx)
  started.add(phase)
  for (const start of starts[phase]) start()
}

/** Runs `stop` when the lane stops, before its server closes. The lane waits for a promise. */
export function onStop(ctx: Ctx, stop: () => unknown): void {
  lifecycleOf(ctx).stops.add(stop)
}

/** All begin to stop before it returns; the promise waits for those that take time. A failure is logged. */
export async function stopParts(ctx: Ctx): Promise<void> {
  const lifecycle = lifecycleOf(ctx)
  lifecycle.isStopping = true
  await Promise.all(
    [...lifecycle.stops].map(async (stop) => {
      try {
        await stop()
      } catch (error) {
        ctx.log.error({ err: error }, 'a part did not stop cleanly')
      }
    }),
  )
}

/** For work that waits for an answer: the database may be closed when the answer comes. */
export const isStopping = (ctx: Ctx): boolean => lifecycleOf(ctx).isStopping

/** As `Clock.after`, for a timer that the stop of the lane cancels: the part needs no stop of its own. */
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
