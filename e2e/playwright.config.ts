import { defineConfig } from '@playwright/test'
import { BROWSER } from './browser.ts'

export default defineConfig({
  testDir: '.',
  globalSetup: './build.ts',
  outputDir: '../test-results',
  fullyParallel: true,
  workers: 3,
  timeout: 90_000,
  expect: { timeout: 15_000 },
  forbidOnly: true,
  // By the names of the files: `npm test` plays the day, `npm run test:campaigns` the long ones.
  projects: [
    { name: 'day', testIgnore: '**/*.campaign.spec.ts' },
    { name: 'campaigns', testMatch: '**/*.campaign.spec.ts' },
  ],
  use: {
    browserName: 'chromium',
    viewport: { width: 1280, height: 800 },
    // The member's page, which a phone opens, has the certificate of `loopback-tls.ts`, which no browser knows.
    ignoreHTTPSErrors: true,
    launchOptions: BROWSER,
    // A trace of every scenario costs a fifth of the run: `--trace retain-on-failure` keeps those of the ones that
    // fail.
    trace: 'off',
    screenshot: 'only-on-failure',
  },
})
