import { rmSync } from 'node:fs'
import { chmod, mkdtemp, readFile, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { generate } from 'selfsigned'

/** Names the folder of the certificate; workers and the programs that they start inherit it. */
const FOLDER = 'MILEPOST_LOOPBACK_TLS'

let opened: Promise<TlsFiles> | null = null

export interface TlsFiles {
  /** Path of the certificate (PEM) of 127.0.0.1. */
  readonly certificate: string
  /** Path of its private key (PEM). */
  readonly key: string
}

/**
 * Files of a certificate for servers of a test, one for a whole run: a production lane accepts HTTPS only. This process
 * trusts it from now on, and so does every Node program that it starts.
 */
export const tlsFiles = (): Promise<TlsFiles> => (opened ??= open())

async function open(): Promise<TlsFiles> {
  const folder = process.env[FOLDER] ?? (await make())
  const files = { certificate: join(folder, 'server.crt'), key: join(folder, 'server.key') }
  setDefaultCACertificates([...getCACertificates('default'), await readFile(files.certificate, 'utf8')])
  process.env['NODE_EXTRA_CA_CERTS'] = files.certificate
  return files
}

/** Removes the folder when this process ends. */
async function make(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'milepost-tls-'))
  // Programs of a test may run as another user.
  await chmod(folder, 0o755)
  process.once('exit', () => {
    rmSync(folder, { recursive: true, force: true })
  })
  const { cert, private: key } = await generate([{ name: 'commonName', value: 'loopback' }], {
    keyType: 'ec',
    curve: 'P-256',
    extensions: [{ name: 'subjectAltName', altNames: [{ type: 7, ip: '127.0.0.1' }] }],
  })
  await writeFile(join(folder, 'server.crt'), cert)
  await writeFile(join(folder, 'server.key'), key, { mode: 0o600 })
  process.env[FOLDER] = folder
  return folder
}
