import { rmSync } from 'node:fs'
import { chmod, mkdtemp, readFile, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { generate } from 'selfsigned'

const FOLDER = 'MILEPOST_LOOPBACK_TLS'

let opened: Promise<TlsFiles> | null = null

export interface TlsFiles {
  readonly certificate: string
  readonly key: string
}

/**
 * Certificate files for test servers, created once per run: a production lane accepts only HTTPS. This process and its
 * child processes trust the certificate.
 */
export const tlsFiles = (): Promise<TlsFiles> => (opened ??= open())

async function open(): Promise<TlsFiles> {
  const folder = process.env[FOLDER] ?? (await make())
  const files = { certificate: join(folder, 'server.crt'), key: join(folder, 'server.key') }
  setDefaultCACertificates([...getCACertificates('default'), await readFile(files.certificate, 'utf8')])
  process.env['NODE_EXTRA_CA_CERTS'] = files.certificate
  return files
}

async function make(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'milepost-tls-'))
  // Other users can read the folder, because test programs may run as another user.
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
