import { hostname } from 'node:os'
import { expect, test, vi } from 'vitest'
import { openTestDatabase, temporaryFolder } from '../../core/http/testing.ts'
import { heldValues } from './log-lines.ts'

// The system does not know the name of the user, as when its directory service is unavailable.
vi.mock('node:os', async (original) => ({
  ...(await original<typeof import('node:os')>()),
  userInfo: () => {
    throw new Error('uv_os_get_passwd returned ENOENT')
  },
}))

test('private values to hide in a support file are collected even if the system has no name for its user', async () => {
  const db = await openTestDatabase()
  const held = heldValues({ dataFolder: temporaryFolder(), environment: {}, db, secrets: [] })
  expect(held).toContainEqual({ kind: 'plain', value: hostname() })
})
