// `npm run setup`: installs a browser and the programs for the tests, and prints each command that it runs. With
// `--ask` (used by `npm test`) it asks at a console before it changes the system; `npm test --yes` and CI are not
// asked. Exits with 1 if the tests would have no browser.
import { spawnSync } from 'node:child_process'
import path from 'node:path'
import readline from 'node:readline/promises'
import { fileURLToPath } from 'node:url'
import { BROWSERS, hasBrowser, isThere, missingTools, node24 } from './test-tools.mjs'

const root = path.resolve(fileURLToPath(new URL('..', import.meta.url)))
const say = (line) => console.log(`[setup] ${line}`)
const isRoot = typeof process.getuid === 'function' && process.getuid() === 0
const hasApt = isThere('apt-get')
const canInstall = hasApt && (isRoot || isThere('sudo'))
const atTerminal = process.stdin.isTTY === true && process.stderr.isTTY === true
const mustAsk = process.argv.includes('--ask') && atTerminal && !process.env.CI && process.env.npm_config_yes !== 'true'

function run(program, args, env = {}) {
  say(`$ ${[path.basename(program), ...args].join(' ')}`)
  const { status, stderr, error } = spawnSync(program, args, {
    cwd: root,
    stdio: ['ignore', 'ignore', 'pipe'],
    encoding: 'utf8',
    env: { ...process.env, ...env },
  })
  if (status !== 0)
    say(error?.message ?? stderr.split('\n').find((line) => line.trim() !== '') ?? `exit code ${status}`)
  return status === 0
}

/** Runs a command as root. Without a console, sudo must not wait for a password. */
const runAsRoot = (program, args, env = {}) => {
  if (isRoot) return run(program, args, env)
  const settings = Object.entries(env).map(([name, value]) => `${name}=${value}`)
  return run('sudo', [...(atTerminal ? [] : ['-n']), ...settings, program, ...args])
}
const apt = (...args) =>
  runAsRoot('apt-get', ['-q', '-y', '-o', 'Acquire::Retries=2', ...args], { DEBIAN_FRONTEND: 'noninteractive' })
const aptInstall = (...packages) => apt('install', '--no-install-recommends', ...packages)
/** If the first try fails, the package lists are fetched: a new machine has no package lists. */
const install = (...packages) => aptInstall(...packages) || (apt('update') && aptInstall(...packages))

let isAllowed = mustAsk ? null : true
async function mayInstall(packages) {
  if (!canInstall) return false
  if (isAllowed === null) {
    const terminal = readline.createInterface({ input: process.stdin, output: process.stderr })
    const answer = await terminal.question(`[setup] Install ${packages.join(', ')} with apt-get? [Y/n] `)
    terminal.close()
    isAllowed = /^\s*(y(es)?)?\s*$/i.test(answer)
  }
  return isAllowed
}

const playwright = (...args) =>
  run(node24, [path.join('node_modules', '@playwright', 'test', 'cli.js'), ...args], {
    // In milliseconds; short, because some networks drop packets without an answer.
    PLAYWRIGHT_DOWNLOAD_CONNECTION_TIMEOUT: '10000',
  })

/** Installs Playwright’s Chromium, or the distribution’s browser if the download fails or does not start. */
async function installBrowser() {
  say('A browser for the tests: Playwright’s Chromium…')
  if (playwright('install', 'chromium')) {
    if (hasBrowser()) return true
    // The downloaded browser does not start: system libraries are missing.
    const libraries = ['the libraries of Chromium']
    if ((await mayInstall(libraries)) && playwright('install-deps', 'chromium') && hasBrowser()) return true
  }
  if (!(await mayInstall(BROWSERS))) return false
  say('The download failed, or it does not start. Trying the browser of the distribution…')
  // The full browser is installed if there is no headless shell, which older Debian releases have not packaged.
  return (install(...BROWSERS) || aptInstall('chromium')) && hasBrowser()
}

/**
 * PostgreSQL’s package must create and start no database server, as Debian’s does by default, because the tests start
 * their own.
 */
function installWithoutDatabase(...packages) {
  if (!packages.includes('postgresql')) return install(...packages)
  const configure = (...words) => runAsRoot('pg_conftool', ['/etc/postgresql-common/createcluster.conf', ...words])
  const isConfigured = install('postgresql-common') && configure('set', 'create_main_cluster', 'off')
  const isDone = install(...packages)
  if (isConfigured) configure('remove', 'create_main_cluster')
  return isDone
}

async function installTools(missing) {
  const packages = missing.map(({ debian }) => debian)
  for (const { program, what } of missing) say(`${program}: ${what}`)
  if ((await mayInstall(packages)) && installWithoutDatabase(...packages)) return
  say(
    hasApt
      ? `Not installed. As root: apt-get install ${packages.join(' ')}`
      : `Not installed: ${packages.join(', ')}. Install them with your system’s package manager.`,
  )
  say('Without them, npm test skips the tests that need them and reports this.')
}

const missing = missingTools()
if (missing.length > 0) await installTools(missing)
if (!hasBrowser() && !(await installBrowser())) {
  say(
    hasApt
      ? 'There is no browser for the tests. As root: apt-get install chromium'
      : 'There is no browser for the tests. Install Chromium so that `chromium` is on the PATH, or retry the download.',
  )
  process.exit(1)
}
say(missingTools().length === 0 ? 'Everything for the tests is installed.' : 'The tests can run.')
