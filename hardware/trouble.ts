/**
 * What kind of trouble a device's health tells of, for words that say what to do. The detail stays what a technician
 * reads; this is its only reader. It stands here because the drivers, the system and the printers write these details.
 */
export type TroubleKind =
  | 'in-use' | 'not-there' | 'not-allowed' | 'unplugged' | 'refused' | 'no-answer' | 'unreachable' | 'unknown-name' | 'closed' | 'stalled'
  | 'paper-out' | 'paper-low' | 'cover-open' | 'printer-error' | 'printer-offline' | 'printer-silent' | 'other'

export interface Trouble {
  readonly kind: TroubleKind
  /** Who has the port, as "name (pid 123)", where it can be told. */
  readonly holder: string | null
}

const KINDS: readonly (readonly [RegExp, TroubleKind])[] = [
  [/in use by|lock|busy|temporarily unavailable/i, 'in-use'],
  [/permission denied|access denied|EACCES|EPERM/i, 'not-allowed'],
  [/no such|file not found|ENOENT|ENODEV|ENXIO/i, 'not-there'],
  [/unplugged|\bEIO\b|input.output error|bad file descriptor/i, 'unplugged'],
  [/ECONNREFUSED/, 'refused'],
  [/EHOSTUNREACH|ENETUNREACH|EHOSTDOWN/, 'unreachable'],
  [/ENOTFOUND|EAI_AGAIN/, 'unknown-name'],
  [/took no more data|still blocks/, 'stalled'],
  [/within \d+ ms|ETIMEDOUT/, 'no-answer'],
  [/closed by the device|ECONNRESET|EPIPE/, 'closed'],
  [/^paper out/, 'paper-out'],
  [/^paper is low/, 'paper-low'],
  [/^cover open/, 'cover-open'],
  [/^printer error/, 'printer-error'],
  [/^printer offline/, 'printer-offline'],
  [/does not report its status|cannot be asked|stopped answering/, 'printer-silent'],
]

/** null for a health without a detail. */
export function troubleOf(detail: string | null): Trouble | null {
  if (detail === null) return null
  const kind = KINDS.find(([pattern]) => pattern.test(detail))?.[1] ?? 'other'
  return { kind, holder: /in use by (.+)$/.exec(detail)?.[1] ?? null }
}
