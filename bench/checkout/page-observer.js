// Runs inside the page, in the browser, before any script of the terminal: plain JavaScript, handed over as it stands.
// It knows the screen as a person does: the newest line of the sale is the last row of a grid.
;(() => {
  const now = () => performance.timeOrigin + performance.now()

  // A message posted from an animation frame is delivered when that frame's style, layout and paint are done.
  const afterPaint = (report) => {
    requestAnimationFrame(() => {
      const { port1, port2 } = new MessageChannel()
      port1.onmessage = () => report(now())
      port2.postMessage(null)
    })
  }

  // The browser's own measure: from the key or the touch to the next paint after what it did (Event Timing, in steps of
  // 8 ms). What took less than 16 ms is not told one by one.
  const slow = []
  new PerformanceObserver((list) => {
    for (const { interactionId, name, duration } of list.getEntries())
      if (interactionId > 0) slow.push({ name, duration })
  }).observe({ type: 'event', durationThreshold: 16 })

  // Whoever may sign in stands there, and can be chosen.
  const signInPainted = new Promise((resolve) => {
    const observer = new MutationObserver(() => {
      if (!document.querySelector('main button')) return
      observer.disconnect()
      afterPaint(resolve)
    })
    observer.observe(document, { childList: true, subtree: true })
  })

  let seen = ''
  const look = () => {
    const rows = document.querySelectorAll('[role="row"]')
    const text = rows.length === 0 ? '' : rows[rows.length - 1].textContent
    if (text === seen) return
    seen = text
    if (text === '') return
    const changed = now()
    afterPaint((painted) => globalThis.milepostLinePainted({ text, changed, painted }))
  }

  globalThis.milepostBench = {
    now,
    interactions: () => ({ count: performance.interactionCount, slow }),
    // Milliseconds from the navigation to the painted sign-in, and what was asked for until then.
    async start() {
      const ms = (await signInPainted) - performance.timeOrigin
      return {
        ms,
        loaded: performance
          .getEntriesByType('resource')
          .filter(({ startTime }) => startTime < ms)
          .map(({ name }) => name),
      }
    },
    watchLines() {
      new MutationObserver(look).observe(document.documentElement, {
        childList: true,
        characterData: true,
        subtree: true,
      })
    },
    // One small change of an otherwise empty page, to its paint: what a browser on this machine can do at best.
    barePaint: () =>
      new Promise((resolve) => {
        const began = now()
        const line = document.createElement('p')
        line.textContent = String(began)
        document.body.replaceChildren(line)
        afterPaint((painted) => resolve(painted - began))
      }),
  }
})()
