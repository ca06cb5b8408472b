import type { Log } from '../log.ts'
import { readCertificate, type Certificate, type CertificateFiles } from './files.ts'

export interface WatchOptions {
  readonly files: CertificateFiles
  /** Renews the certificate when due; null if an administrator provides and renews the certificate. */
  readonly renew: (() => Promise<unknown>) | null
  readonly shown: Certificate
  readonly log: Log
  readonly onChange: (next: Certificate) => void
  /** Check interval in milliseconds; default: 60,000. */
  readonly everyMs?: number
}

const EVERY_MS = 60_000

export function watchCertificate({ files, renew, shown, log, onChange, everyMs = EVERY_MS }: WatchOptions): () => void {
  let { certificate } = shown
  let timer: NodeJS.Timeout
  async function look(): Promise<void> {
    await renew?.()
    const next = readCertificate(files, new Date())
    if (next.certificate === certificate) return
    onChange(next)
    certificate = next.certificate
    log.info('the certificate was reloaded')
  }
  let isStopped = false
  const again = (): void => {
    if (isStopped) return
    timer = setTimeout(() => {
      look()
        .catch((error: unknown) => log.error({ reason: reasonOf(error) }, 'the certificate cannot be renewed or read'))
        .finally(again)
    }, everyMs)
    timer.unref()
  }
  again()
  return () => {
    isStopped = true
    clearTimeout(timer)
  }
}

const reasonOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))
