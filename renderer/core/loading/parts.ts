import { proveLane } from '../api/window-session.ts'

const ASK_AGAIN_MS = 1_000

/**
 * A part of the program that the window needs now. When it cannot be had this page will never have it: the guard in the
 * page (`reload-guard.js`) loads the page anew once the terminal answers: only the lane, never a program
 * that has taken its address. Until then the promise stays open, so that
 * the window goes on saying that it is loading. What a cashier does is in the backend. A browser's page that is
 * loaded anew gets a window of its own.
 */
export async function needed<Part>(load: () => Promise<Part>): Promise<Part> {
  try {
    return await fromLane(load)
  } catch (error) {
    reportError(error)
    await untilLaneProves()
    dispatchEvent(new Event('milepost:part-missing'))
    return new Promise<never>(() => undefined)
  }
}

/** A part that is needed soon, perhaps. One that cannot be had now is asked for when it is needed. */
export async function soon(load: () => Promise<unknown>): Promise<void> {
  await fromLane(load).catch(() => undefined)
}

/** A part is a program: it comes from the lane or not at all. */
async function fromLane<Part>(load: () => Promise<Part>): Promise<Part> {
  await proveLane()
  return load()
}

async function untilLaneProves(): Promise<void> {
  for (;;) {
    try {
      return await proveLane()
    } catch {
      await new Promise((resolve) => setTimeout(resolve, ASK_AGAIN_MS))
    }
  }
}
