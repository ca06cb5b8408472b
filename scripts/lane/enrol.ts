import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'

const PROVISION = fileURLToPath(new URL('../../backend/provision.ts', import.meta.url))

export interface EnrolAtLane {
  readonly code: string
  readonly data: string
  readonly profile: string
  readonly lane?: string | undefined
  readonly service?: string | undefined
  readonly certificate?: string | undefined
  readonly language?: string | undefined
}

/**
 * Has the backend's own provisioning enrol the lane; answers its exit code. The code goes by the environment: a list of
 * processes shows no second place of it.
 */
export function enrolAtLane({ code, ...options }: EnrolAtLane): Promise<number> {
  const args = Object.entries(options).flatMap(([name, value]) => (value === undefined ? [] : [`--${name}=${value}`]))
  const child = spawn(process.execPath, [PROVISION, 'enrol', ...args], {
    stdio: ['ignore', 'inherit', 'inherit'],
    env: { ...process.env, MILEPOST_PROVISION_VALUE: code },
  })
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('exit', (exitCode) => resolve(exitCode ?? 1))
  })
}
