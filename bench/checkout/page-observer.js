// This script runs in the page before any script of the terminal, in plain JavaScript. It uses only the visible
// screen: the newest line of the sale is the last row of a grid.
;(() => {
  const now = () => performance.timeOrigin + performance.now()

  // A message posted in an animation frame is delivered after that frame's style, layout and paint.
  const afterPaint = (report) => {
    requestAnimationFrame(() => {
      const { port1, port2 } = new MessageChannel()
      port1.onmessage = () => report(now())
      port2.postMessage(null)
    })
  }

  // The browser's Event Timing measures from a key press or touch to the next paint after its effect, in steps of
  // 8 ms. Events below 16 ms are only counted.
  const slow = []
  new PerformanceObserver((list) => {
    for (const { interactionId, name, duration } of list.getEntries())
      if (interactionId > 0) slow.push({ name, duration })
  }).observe({ type: 'event', durationThreshold: 16 })

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
    // Returns the milliseconds from opening the page to the painted sign-in, and the resources requested until then.
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
    // Milliseconds from a small change of an empty page to its paint: the best possible for a browser on this machine.
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
