import { spawn } from 'node:child_process'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { readArgs } from '../command-line.ts'

const PROVISION = fileURLToPath(new URL('../../backend/provision.ts', import.meta.url))

/**
 * `enrol [CODE]`: has the backend's own provisioning enrol the lane; answers its exit code, null where the command
 * lacks something. Without a code, or with `-`, it is asked for. One that is given goes by the environment: a list of
 * processes shows no second place of it.
 */
export async function enrolAtLane(args: readonly string[]): Promise<number | null> {
  const { values, positionals } = readArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      data: { type: 'string' },
      profile: { type: 'string' },
      lane: { type: 'string' },
      service: { type: 'string' },
      certificate: { type: 'string' },
      language: { type: 'string' },
    },
  })
  const [code = '-', ...more] = positionals
  const { data, profile, ...rest } = values
  if (more.length > 0 || data === undefined || profile === undefined) return null
  const options = { ...rest, data: path.resolve(data), profile: path.resolve(profile) }
  const child = spawn(
    process.execPath,
    [PROVISION, 'enrol', ...Object.entries(options).map(([name, value]) => `--${name}=${value}`)],
    { stdio: 'inherit', env: { ...process.env, ...(code === '-' ? {} : { MILEPOST_PROVISION_VALUE: code }) } },
  )
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('exit', (exitCode) => resolve(exitCode ?? 1))
  })
}
