import { randomInt } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { onTestFinished } from 'vitest'
import { launch, type LaunchedProcess } from '../../lab/rig/process.ts'
import { fingerprintOf, ownCertificate, type Certificate } from '../certificate/files.ts'
import { makeSelfSigned } from '../certificate/self-signed.ts'
import { isFree } from '../db/start-postgres.ts'

const MAIN = fileURLToPath(new URL('../main.ts', import.meta.url))

export interface ServerProcess {
  readonly url: string
  readonly data: string
  readonly certificate: Certificate
  readonly fingerprint: string
  killAndStart(): Promise<void>
  stop(): Promise<string>
}

export async function startServerProcess(
  args: readonly string[],
  {
    env = {},
    onLog,
    sealKey,
    proofKey,
  }: {
    readonly env?: Readonly<Record<string, string>>
    readonly onLog?: (line: string) => void
    readonly sealKey?: Uint8Array
    readonly proofKey?: Uint8Array
  } = {},
): Promise<ServerProcess> {
  const data = mkdtempSync(path.join(tmpdir(), 'milepost-server-'))
  const certificate = await makeSelfSigned(['localhost', '127.0.0.1'], new Date(), 1)
  const files = ownCertificate(data)
  writeFileSync(files.certificate, certificate.certificate)
  writeFileSync(files.key, certificate.key, { mode: 0o600 })
  if (sealKey) writeFileSync(path.join(data, 'store.key'), sealKey, { mode: 0o600 })
  if (proofKey) writeFileSync(path.join(data, 'proof.key'), proofKey, { mode: 0o600 })
  const port = String(await fixedPort())
  const line = [MAIN, '--data', data, '--host', '127.0.0.1', '--port', port, '--log-level', 'info', ...args]

  async function begin(): Promise<LaunchedProcess> {
    const launched = launch(line, env)
    if (onLog) createInterface(launched.child.stderr).on('line', onLog)
    await launched.ready
    return launched
  }

  let running = await begin()
  onTestFinished(async () => {
    await running.kill()
    rmSync(data, { recursive: true, force: true })
  })
  return {
    url: `https://127.0.0.1:${port}`,
    data,
    certificate,
    fingerprint: fingerprintOf(certificate.certificate),
    async killAndStart() {
      await running.kill()
      running = await begin()
    },
    async stop() {
      await running.stop()
      return running.log()
    },
  }
}

/** Returns a port below the ephemeral range, because an ephemeral port could be reused while the server is down. */
async function fixedPort(): Promise<number> {
  for (;;) {
    const port = randomInt(20_000, 32_000)
    if (await isFree(port)) return port
  }
}
