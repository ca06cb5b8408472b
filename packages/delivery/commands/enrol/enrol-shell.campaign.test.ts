import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { Readable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { readSecrets, type OsKeyStore } from '../../../supervisor/key-store.ts'
import { readProfileOutline } from '../../../supervisor/profile-outline.ts'
import { provision } from '../../../supervisor/provision.ts'
import { readShellOptions } from '../../../supervisor/shell/shell-options.ts'
import { keyStoreOf } from '../../../supervisor/testing/key-store-stand-in.ts'
import { forkLikeElectron } from '../../../supervisor/testing/utility-stand-in.ts'
import { adaptUtility } from '../../../supervisor/shell/utility-streams.ts'
import { usePostgres } from '../../../store-server/testing/postgres.ts'
import { makeChain, startService, type Chain } from './testing.ts'

const cluster = usePostgres({ fsync: false })
const at = (file: string): string => fileURLToPath(new URL(`../../../../${file}`, import.meta.url))

/**
 * Runs `milepost --enrol …` on a lane that has only the package: the shell's own code and the backend that it starts.
 */
async function atShell(chain: Chain, keyStore: OsKeyStore, args: readonly string[]) {
  const { provision: task } = readShellOptions(args, true)
  const outline = readProfileOutline(chain.profile)
  if (task === null || outline === null) throw new Error('no task, or no profile')
  const [output, errorOutput]: string[][] = [[], []]
  const code = await provision(task, {
    outline,
    profileFile: () => chain.profile,
    lane: '01',
    dataFolder: path.join(chain.folder, 'lane-01'),
    keyStore,
    platform: 'linux',
    provisionMain: at('backend/operations/provision.ts'),
    supportMain: at('backend/operations/support/support-file.ts'),
    doctorMain: at('backend/operations/restore/doctor.ts'),
    profileArgs: ['--profile', chain.profile],
    launch: (request) => adaptUtility(forkLikeElectron(request)),
    input: Readable.from([]),
    environment: {},
    log: (line) => output?.push(line),
    complain: (line) => errorOutput?.push(line),
  })
  return { code, output: output?.join('\n'), errorOutput: errorOutput?.join('\n') }
}

test('enrolment in a package stores the client secret in the system key store, and in no file', async ({ skip }) => {
  const chain = await makeChain(await cluster.database(skip))
  const { url } = await startService(chain)
  await chain.enrol('new', '--service', url, '--secrets', path.join(chain.folder, 'secrets.csv'), '--pins')
  const { codes, check } = chain.sheet()
  const args = [`--enrol=${codes[0]}`, `--service=${url}`, `--certificate=${check}`]
  // Chromium's fallback would store the secrets as plain text, so the code is not exchanged.
  const plain = await atShell(chain, keyStoreOf('lane', 'basic_text'), args)
  expect(plain).toMatchObject({ code: 2, errorOutput: expect.stringContaining('plain text') })
  expect((await chain.enrol('list')).stdout).toContain(' waits ')

  const keyStore = keyStoreOf('lane')
  const done = await atShell(chain, keyStore, args)
  expect(done).toMatchObject({ code: 0, output: expect.stringContaining('2 people have a one-time PIN') })
  const folder = path.join(chain.folder, 'lane-01')
  expect(await readSecrets(keyStore, folder)).toMatchObject({ MILEPOST_CLIENT_SECRET: 'of-the-store' })
  const files = readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isFile())
  expect(files.map(({ name }) => name)).not.toContain('client.secret')
  expect(files.map(({ name }) => name)).not.toContain('client-secret.enrolled')
  for (const { name } of files) expect(readFileSync(path.join(folder, name), 'latin1')).not.toContain('of-the-store')
  expect(await atShell(chain, keyStore, args)).toMatchObject({ code: 2, errorOutput: expect.stringContaining('used') })
})
