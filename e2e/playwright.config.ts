import { existsSync } from 'node:fs'
import { defineConfig } from '@playwright/test'

const DEBIAN_CHROMIUM = '/usr/bin/chromium'
/** Chromium as root needs --no-sandbox; the rest keeps it from looking for networks that a till does not have. */
const QUIET = ['--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync', '--disable-gpu']

export default defineConfig({
  testDir: '.',
  outputDir: '../test-results',
  fullyParallel: true,
  workers: 2,
  timeout: 90_000,
  expect: { timeout: 15_000 },
  forbidOnly: true,
  use: {
    browserName: 'chromium',
    viewport: { width: 1280, height: 800 },
    launchOptions: {
      ...(existsSync(DEBIAN_CHROMIUM) ? { executablePath: DEBIAN_CHROMIUM } : {}),
      args: [...QUIET, ...(process.getuid?.() === 0 ? ['--no-sandbox'] : [])],
    },
    trace: 'retain-on-failure',
  },
})
