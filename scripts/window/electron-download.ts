import { createHash } from 'node:crypto'
import {
  createReadStream,
  createWriteStream,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs'
import path from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { ReadableStream } from 'node:stream/web'

export interface Download {
  readonly packageFolder: string
  readonly cacheFolder: string
  readonly mirror: string
  readonly log: (line: string) => void
  /** Maximum time in milliseconds without a byte from the host, before the response and between two chunks. */
  readonly silenceMs: number
  readonly signal?: AbortSignal | undefined
}
/** Why the runtime was not downloaded. `again`: the next start resumes the download without a delay. */
export type NotDownloaded = { readonly reason: string; readonly again: boolean }
export type Downloaded = { readonly archive: string } | NotDownloaded

const PROGRESS_STEPS = 10
const megabytes = (bytes: number): number => Math.round(bytes / 1_000_000)

/**
 * Downloads the runtime archive for this system, resuming an earlier download, and verifies its checksum against the
 * electron package.
 */
export async function downloadElectron(download: Download): Promise<Downloaded> {
  const description = readFileSync(path.join(download.packageFolder, 'package.json'), 'utf8')
  const { version } = JSON.parse(description) as { version: string }
  const name = `electron-v${version}-${process.platform}-${process.arch}.zip`
  const folderUrl = `${download.mirror}v${version}`
  // The folder name is that of Electron’s own installer for this download.
  const folder = path.join(
    download.cacheFolder,
    createHash('sha256').update(new URL(folderUrl).toString()).digest('hex'),
  )
  const archive = path.join(folder, name)
  if (existsSync(archive)) return { archive }
  mkdirSync(folder, { recursive: true })
  const partialFile = `${archive}.part`
  const trouble = await receive(`${folderUrl}/${name}`, partialFile, download)
  if (trouble !== null) return trouble
  const wanted = wantedSum(download.packageFolder, name)
  if (wanted !== null && (await sumOf(partialFile)) !== wanted) {
    rmSync(partialFile, { force: true })
    return { reason: 'the checksum of its download differs from that in the package', again: false }
  }
  renameSync(partialFile, archive)
  return { archive }
}

/** Appends the missing bytes of the archive to `partialFile`. Returns null when the archive is complete. */
async function receive(
  url: string,
  partialFile: string,
  { log, silenceMs, signal }: Download,
): Promise<NotDownloaded | null> {
  const have = existsSync(partialFile) ? statSync(partialFile).size : 0
  const silence = new AbortController()
  let timer = setTimeout(() => silence.abort(), silenceMs)
  const received = (): void => {
    clearTimeout(timer)
    timer = setTimeout(() => silence.abort(), silenceMs)
  }
  let begun = false
  try {
    const answer = await fetch(url, {
      headers: have > 0 ? { range: `bytes=${have}-` } : {},
      signal: signal === undefined ? silence.signal : AbortSignal.any([signal, silence.signal]),
    })
    // Status 416: the requested range is empty, so the partial file is complete.
    if (answer.status === 416) return null
    if (!answer.ok || answer.body === null) {
      return { reason: `its download host responds with ${answer.status}`, again: false }
    }
    begun = true
    const continues = answer.status === 206
    const total = (continues ? have : 0) + Number(answer.headers.get('content-length') ?? 0)
    const already = continues ? `, ${megabytes(have)} MB already downloaded` : ''
    log(`Downloading the Electron runtime for the next start (${megabytes(total)} MB${already})…`)
    const pieces = Readable.fromWeb(answer.body as ReadableStream)
    const onward = progress(continues ? have : 0, total, log)
    pieces.on('data', (piece: Buffer) => {
      received()
      onward(piece.length)
    })
    await pipeline(pieces, createWriteStream(partialFile, { flags: continues ? 'a' : 'w' }))
    return null
  } catch {
    return begun || signal?.aborted === true
      ? { reason: 'its download was interrupted; the next start resumes it', again: true }
      : { reason: 'its download host is unreachable from here', again: false }
  } finally {
    clearTimeout(timer)
  }
}

function progress(have: number, total: number, log: (line: string) => void): (bytes: number) => void {
  let received = have
  let lastStep = Math.floor((have / total) * PROGRESS_STEPS)
  return (bytes) => {
    received += bytes
    const step = Math.floor((received / total) * PROGRESS_STEPS)
    if (step <= lastStep || total <= have) return
    lastStep = step
    log(`Electron runtime: ${step * (100 / PROGRESS_STEPS)} % of ${megabytes(total)} MB.`)
  }
}

function wantedSum(packageFolder: string, name: string): string | null {
  const file = path.join(packageFolder, 'checksums.json')
  if (!existsSync(file)) return null
  return (JSON.parse(readFileSync(file, 'utf8')) as Record<string, string>)[name] ?? null
}

async function sumOf(file: string): Promise<string> {
  const hash = createHash('sha256')
  await pipeline(createReadStream(file), hash)
  return hash.digest('hex')
}
