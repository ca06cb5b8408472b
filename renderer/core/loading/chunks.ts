import { proveLane } from '../api/window-session.ts'

const RETRY_MS = 1_000

/**
 * Loads a chunk that the window needs now. A page cannot load a failed chunk again, so the page's guard
 * (`reload-guard.js`) reloads the page once the lane itself, and no other program at its address, answers. Until then
 * the promise stays pending, so that the window keeps showing that it loads. The cashier's work is safe in the backend;
 * the reloaded page gets a new window session.
 */
export async function loadChunk<Chunk>(load: () => Promise<Chunk>): Promise<Chunk> {
  try {
    return await fromLane(load)
  } catch (error) {
    reportError(error)
    await proveLaneWithRetry()
    dispatchEvent(new Event('milepost:no-chunk'))
    return new Promise<never>(() => undefined)
  }
}

/** Preloads a chunk. Ignores a failure: the chunk is requested again when it is needed. */
export async function preloadChunk(load: () => Promise<unknown>): Promise<void> {
  await fromLane(load).catch(() => undefined)
}

/** Loads a chunk from the verified lane only, because it is code. */
async function fromLane<Chunk>(load: () => Promise<Chunk>): Promise<Chunk> {
  await proveLane()
  return load()
}

async function proveLaneWithRetry(): Promise<void> {
  for (;;) {
    try {
      return await proveLane()
    } catch {
      await new Promise((resolve) => setTimeout(resolve, RETRY_MS))
    }
  }
}
