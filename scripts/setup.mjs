// `npm run setup`: installs what the tests need beside the packages, and says what it does: a browser, and a few
// programs
// of the distribution. Does nothing when all is there. Ends with 1 when the tests would have no browser.
import { spawnSync } from 'node:child_process'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { BROWSERS, hasBrowser, isThere, missingTools, node24 } from './test-tools.mjs'

const root = path.resolve(fileURLToPath(new URL('..', import.meta.url)))
const say = (line) => console.log(`[setup] ${line}`)
const isRoot = typeof process.getuid === 'function' && process.getuid() === 0
const hasApt = isThere('apt-get')

/** True when it ended well; else says the first line of why. */
function run(program, args, env = {}) {
  say(`$ ${path.basename(program)} ${args.join(' ')}`)
  const { status, stderr, error } = spawnSync(program, args, {
    cwd: root,
    stdio: ['ignore', 'ignore', 'pipe'],
    encoding: 'utf8',
    env: { ...process.env, ...env },
  })
  if (status !== 0)
    say(error?.message ?? stderr.split('\n').find((line) => line.trim() !== '') ?? `it ended with ${status}`)
  return status === 0
}

const apt = (...args) =>
  run('apt-get', ['-q', '-y', '-o', 'Acquire::Retries=2', ...args], { DEBIAN_FRONTEND: 'noninteractive' })
const aptInstall = (...packages) => apt('install', '--no-install-recommends', ...packages)
/** A fresh machine has no list of packages: it is fetched when the first try fails. */
const install = (...packages) => aptInstall(...packages) || (apt('update') && aptInstall(...packages))

const playwright = (...args) =>
  run(node24, [path.join('node_modules', '@playwright', 'test', 'cli.js'), ...args], {
    // A network that swallows what is sent must not hold this up for long.
    PLAYWRIGHT_DOWNLOAD_CONNECTION_TIMEOUT: '10000',
  })

/** The browser that Playwright is made for, where it can be downloaded and starts; else the distribution's. */
function installBrowser() {
  say('A browser for the tests: Chromium, as Playwright offers it…')
  if (playwright('install', 'chromium')) {
    if (hasBrowser()) return true
    // It lacks libraries of the system.
    if (isRoot && hasApt && playwright('install-deps', 'chromium') && hasBrowser()) return true
  }
  if (!hasApt || !isRoot) return false
  say('It could not be downloaded, or does not start: the distribution’s…')
  // The engine alone only if it is to be had: an older Debian has none.
  return (install(...BROWSERS) || aptInstall('chromium')) && hasBrowser()
}

/** Debian makes a database with PostgreSQL and runs it: nobody asked for that, and the tests start their own. */
function installWithoutDatabase(...packages) {
  if (!packages.includes('postgresql')) return install(...packages)
  const tell = (...words) => run('pg_conftool', ['/etc/postgresql-common/createcluster.conf', ...words])
  const isTold = install('postgresql-common') && tell('set', 'create_main_cluster', 'off')
  const isDone = install(...packages)
  if (isTold) tell('remove', 'create_main_cluster')
  return isDone
}

function installTools(missing) {
  const packages = missing.map(({ debian }) => debian)
  for (const { program, what } of missing) say(`${program}: ${what}`)
  if (isRoot && hasApt && installWithoutDatabase(...packages)) return
  say(
    hasApt
      ? `Not installed. As root: apt-get install ${packages.join(' ')}`
      : `Not installed: ${packages.join(', ')} are to be had from your system’s package manager.`,
  )
  say('Without them npm test skips what needs them, and says so.')
}

const missing = missingTools()
if (missing.length > 0) installTools(missing)
if (!hasBrowser() && !installBrowser()) {
  say(
    hasApt
      ? 'There is no browser for the tests. As root: apt-get install chromium'
      : 'There is no browser for the tests. Install Chromium so that `chromium` is on the PATH, or mend the download.',
  )
  process.exit(1)
}
say(missingTools().length === 0 ? 'Everything that the tests need is there.' : 'The tests can run.')
