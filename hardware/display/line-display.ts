import type { LineDisplayDevice } from '../../contracts/profile.ts'
import type { DeviceListener, LineDisplay } from '../device.ts'
import { keepLine } from '../serial/line.ts'
import { displayBytes } from './cd5220.ts'

/** Two lines are under fifty bytes: 50 ms at 9,600 baud. */
const WRITE_MS = 1_000

/**
 * The customer's line display. It shows the newest text: what was asked for while another was on the wire, or while
 * there was no wire, is shown when it can be, and whatever came between is passed over.
 */
export function openLineDisplay(
  config: LineDisplayDevice,
  listener: Pick<DeviceListener<never>, 'onHealth'>,
): LineDisplay {
  let wanted: readonly [string, string] = ['', '']
  let writing: Promise<void> | null = null
  let stale = false

  async function send(): Promise<void> {
    while (stale && line.health.state === 'ready') {
      stale = false
      await line.write(displayBytes(wanted), WRITE_MS)
    }
  }
  function wake(): void {
    stale = true
    if (writing !== null || line.health.state !== 'ready') return
    writing = send()
      // A failed write closes its channel; the line says so, opens another one, and that brings us here again.
      .catch(() => undefined)
      .finally(() => {
        writing = null
      })
  }

  const line = keepLine(config.connection, {
    onData: () => undefined,
    onBreak: () => undefined,
    onHealth(health) {
      listener.onHealth(health)
      // A display that was unplugged comes back dark.
      if (health.state === 'ready') wake()
    },
  })

  return {
    get health() {
      return line.health
    },
    get statistics() {
      return { onlineTransitionCount: line.connections, communicationErrorCount: line.disconnections }
    },
    checkHealth: () => line.check(),
    show(upper, lower) {
      wanted = [upper, lower]
      wake()
    },
    close: () => line.close(),
  }
}
