import type { Trouble, TroubleKind } from '../contracts/api/diagnostics.ts'

/*
 * What kind of trouble a device's health tells of, for words in the language of whoever reads them. The detail stays
 * what a technician may search for; this is its only reader. It stands here because the drivers, the system and the
 * printers write these details.
 */
const KINDS: readonly (readonly [RegExp, TroubleKind])[] = [
  [/in use by|lock|busy|temporarily unavailable/i, 'in-use'],
  [/permission denied|access denied|EACCES|EPERM/i, 'not-allowed'],
  [/no such|file not found|ENOENT|ENODEV|ENXIO/i, 'not-there'],
  [/unplugged|the wire was lost|\bEIO\b|input.output error|bad file descriptor/i, 'unplugged'],
  [/ECONNREFUSED/, 'refused'],
  [/EHOSTUNREACH|ENETUNREACH|EHOSTDOWN/, 'unreachable'],
  [/ENOTFOUND|EAI_AGAIN/, 'unknown-name'],
  [/took no more data|still blocks/, 'stalled'],
  [/within \d+ ms|ETIMEDOUT/, 'no-answer'],
  [/closed by the device|ECONNRESET|EPIPE/, 'closed'],
  [/not open yet|not connected|was closed|port is closed/, 'not-open'],
  [/without a virtual bench/, 'no-bench'],
  [/^paper out/, 'paper-out'],
  [/^paper is low/, 'paper-low'],
  [/^cover open/, 'cover-open'],
  [/^cutter error/, 'cutter-error'],
  [/^print head too hot/, 'too-hot'],
  [/^printer error/, 'printer-error'],
  [/^printer offline/, 'printer-offline'],
  [/does not report its status|cannot be asked|stopped answering|answers no more/, 'printer-silent'],
  [/did not confirm the job/, 'not-confirmed'],
]

/** null for a health without a detail. */
export function troubleOf(detail: string | null): Trouble | null {
  if (detail === null) return null
  const kind = KINDS.find(([pattern]) => pattern.test(detail))?.[1] ?? 'other'
  return { kind, holder: /in use by (.+)$/.exec(detail)?.[1] ?? null, code: /\bE[A-Z]{2,}\b/.exec(detail)?.[0] ?? null }
}
