import { join } from 'node:path'
import { build } from 'vite'
import { vi } from 'vitest'

/** The screens as a store runs them, into this folder. Under a test runner Vite would take React's development build, which checks itself and runs effects twice. */
export async function buildScreens(folder: string): Promise<void> {
  vi.stubEnv('NODE_ENV', 'production')
  try {
    await build({ configFile: join(import.meta.dirname, '../vite.config.ts'), logLevel: 'error', build: { outDir: folder, emptyOutDir: true } })
  } finally {
    vi.unstubAllEnvs()
  }
}
