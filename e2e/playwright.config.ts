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
  // Projects are selected by file name: `npm test` runs `day`, `npm run test:campaigns` the long scenarios.
  projects: [
    { name: 'day', testIgnore: '**/*.campaign.spec.ts' },
    { name: 'campaigns', testMatch: '**/*.campaign.spec.ts' },
  ],
  use: {
    browserName: 'chromium',
    viewport: { width: 1280, height: 800 },
    // The provider's page for members uses the certificate of `loopback-tls.ts`, which no browser trusts.
    ignoreHTTPSErrors: true,
    launchOptions: BROWSER,
    // Traces take a fifth of the run's time: use `--trace retain-on-failure` to keep those of failed scenarios.
    trace: 'off',
    screenshot: 'only-on-failure',
  },
})
