/**
 * One open wire: a serial port or a TCP socket. A channel is opened once, closes once and is never opened again;
 * whoever wants the device back opens a new channel.
 */
export interface ChannelEvents {
  /** The bytes are valid during the call only: the channel overwrites them when the call returns. */
  readonly onData: (bytes: Uint8Array) => void
  /** The far end went away or the wire failed. Said once; not said after `close()`. `reason` never holds wire data. */
  readonly onClose: (reason: string) => void
}

export interface ByteChannel {
  /**
   * Hands every byte to the operating system within `deadlineMs`. Rejects with a WireError when the deadline passes
   * or the wire closes; some of the bytes may then have left, and the channel is closed.
   */
  write(bytes: Uint8Array, deadlineMs: number): Promise<void>
  /** Hands over what was written, closes, and waits for both, but no longer than a second. Safe to call twice. */
  close(): Promise<void>
}

/** A wire that could not be opened or written. Its message names the wire and the system's reason, never data. */
export class WireError extends Error {
  override readonly name = 'WireError'
}

/** The system's short reason of an error: its code where it has one, else a message without the stack. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return 'failed'
  if ('code' in error && typeof error.code === 'string') return error.code
  return error.message.replace(/^Error:?\s*/, '').slice(0, 120)
}

/** Rejects when `work` has not settled within the deadline. `work` goes on; its later failure is swallowed. */
export async function within<T>(deadlineMs: number, late: string, work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const deadline = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      reject(new WireError(late))
    }, deadlineMs)
  })
  try {
    return await Promise.race([work, deadline])
  } finally {
    clearTimeout(timer)
    work.catch(() => undefined)
  }
}
