// Inline in the page, before everything else. A script, style sheet or chunk that failed to load is lost to this page:
// the module map keeps a failed import (HTML standard, "fetch a single module script"), and browsers differ in whether
// they retry. So the page is reloaded once the terminal answers, with a longer pause each time.
{
  const FIRST_PAUSE_MS = 500
  const LONGEST_PAUSE_MS = 30_000
  /** A window that ran this long since its last reload starts again with the shortest pause. */
  const CALM_MS = 60_000
  const LAST = 'milepost-reload'
  let reloading = false

  const pause = (/** @type {number} */ ms) =>
    new Promise((resolve) => {
      setTimeout(resolve, ms)
    })

  async function answers() {
    try {
      // Another program may have the lane's address: a page that has a key requires a proof first.
      await globalThis.proveLane?.()
      return (await fetch('/', { cache: 'no-store', headers: { accept: 'text/html' } })).ok
    } catch {
      return false
    }
  }

  async function reloadOnceAnswered() {
    if (reloading) return
    reloading = true
    const last = JSON.parse(sessionStorage.getItem(LAST) ?? '{ "at": 0, "pauseMs": 0 }')
    let wait = Date.now() - last.at > CALM_MS ? FIRST_PAUSE_MS : Math.min(LONGEST_PAUSE_MS, last.pauseMs * 2)
    document.getElementById('waiting')?.removeAttribute('hidden')
    await pause(wait)
    while (!(await answers())) {
      wait = Math.min(LONGEST_PAUSE_MS, wait * 2)
      await pause(wait)
    }
    sessionStorage.setItem(LAST, JSON.stringify({ at: Date.now(), pauseMs: wait }))
    location.reload()
  }

  addEventListener(
    'error',
    ({ target }) => {
      const needed =
        target instanceof HTMLScriptElement || (target instanceof HTMLLinkElement && target.rel === 'stylesheet')
      if (needed) void reloadOnceAnswered()
    },
    true,
  )
  addEventListener('milepost:no-chunk', () => void reloadOnceAnswered())
}
