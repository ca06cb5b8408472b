/**
 * A part of the program that the window needs now. When it cannot be had this page will never have it: the guard in the
 * page (`reload-guard.js`) loads the page anew once the terminal answers. Until then the promise stays open, so that
 * the window goes on saying that it is loading. What a cashier does is in the backend. A browser's page that is
 * loaded anew gets a window of its own.
 */
export async function needed<Part>(load: () => Promise<Part>): Promise<Part> {
  try {
    return await load()
  } catch (error) {
    reportError(error)
    dispatchEvent(new Event('milepost:part-missing'))
    return new Promise<never>(() => undefined)
  }
}

/** A part that is needed soon, perhaps. One that cannot be had now is asked for when it is needed. */
export async function soon(load: () => Promise<unknown>): Promise<void> {
  await load().catch(() => undefined)
}
