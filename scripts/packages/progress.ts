/** How far a long command is, for whoever watches: a bar with the time left, or a line now and then in a log. */
export interface Progress {
  /** So many more of the work is done. */
  advance(by?: number): void
  end(): void
}

interface Terminal {
  readonly isTTY?: boolean
  readonly columns?: number
  write(text: string): unknown
}

const BAR = 24
const LINE_EVERY_MS = 10_000

export function startProgress(
  what: string,
  all: number,
  out: Terminal = process.stderr,
  now: () => number = () => performance.now(),
): Progress {
  const began = now()
  let done = 0
  let lastLine = began
  const left = (): string => {
    const ms = done === 0 ? null : ((now() - began) / done) * (all - done)
    return ms === null ? '' : `, ${timeOf(ms)} left`
  }
  const line = (): string => `${done} of ${all} ${what}${left()}`
  return {
    advance(by = 1) {
      done += by
      if (out.isTTY === true) {
        const filled = Math.round((done / Math.max(all, 1)) * BAR)
        const bar = `[${'#'.repeat(filled)}${' '.repeat(BAR - filled)}] ${line()}`
        out.write(`\r${bar.slice(0, (out.columns ?? 80) - 1)}\u001b[K`)
      } else if (now() - lastLine >= LINE_EVERY_MS) {
        lastLine = now()
        out.write(`${line()}\n`)
      }
    },
    end() {
      if (out.isTTY === true) out.write('\r\u001b[K')
      out.write(`${done} of ${all} ${what} in ${timeOf(now() - began)}.\n`)
    },
  }
}

/** `45 s`, `3 min 20 s`. */
export function timeOf(ms: number): string {
  const seconds = Math.ceil(ms / 1_000)
  return seconds < 60 ? `${seconds} s` : `${Math.floor(seconds / 60)} min ${seconds % 60} s`
}
