// Prepares `npm start`, `npm test` and the other commands, on any Node from version 18 and before the packages are
// installed, in plain JavaScript without dependencies. Returns quickly if everything is up to date.
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { hasBrowser, missingTools, node24 } from './test-tools.mjs'

const root = path.resolve(fileURLToPath(new URL('..', import.meta.url)))
const at = (...parts) => path.join(root, ...parts)
/**
 * Messages go to standard error, because standard output belongs to the command, for example with `npm run -s …
 * --json`.
 */
const say = (line) => console.error(`[prepare] ${line}`)
const TO_STDERR = ['inherit', 2, 2]
const onWindows = process.platform === 'win32'

function fail(...lines) {
  for (const line of lines) console.error(`[prepare] ${line}`)
  process.exit(1)
}

const readOrEmpty = (file) => (existsSync(file) ? readFileSync(file, 'utf8') : '')
/** A clone of another user is read-only, so nothing is recorded there, and the next command checks again. */
const NOT_MINE = ['EACCES', 'EPERM', 'EROFS']
function stamp(file, value) {
  try {
    mkdirSync(path.dirname(file), { recursive: true })
    writeFileSync(file, value)
  } catch (error) {
    if (!NOT_MINE.includes(error.code)) throw error
  }
}

function hashOf(places) {
  const hash = createHash('sha256')
  const add = (file) => {
    hash.update(path.relative(root, file).split(path.sep).join('/'))
    hash.update('\0')
    hash.update(readFileSync(file))
  }
  const walk = (folder) => {
    for (const entry of readdirSync(folder, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1))) {
      const full = path.join(folder, entry.name)
      if (entry.isDirectory()) walk(full)
      else if (entry.isFile() && !/\.test\.tsx?$/.test(entry.name)) add(full)
    }
  }
  for (const place of places) {
    const full = at(place)
    if (!existsSync(full)) continue
    if (path.extname(full) === '') walk(full)
    else add(full)
  }
  return hash.digest('hex')
}

/** Whether the installed packages are those of the lockfile; a manual `npm install` counts too. */
function installedMatches(lock) {
  const inside = readOrEmpty(at('node_modules', '.package-lock.json'))
  if (inside === '') return false
  const installed = JSON.parse(inside).packages
  return Object.entries(JSON.parse(lock).packages).every(([name, wanted]) => {
    if (name === '' || wanted.link) return true
    const have = installed[name]
    return have === undefined
      ? wanted.optional === true || wanted.devOptional === true || wanted.peer === true
      : have.version === wanted.version
  })
}

function install() {
  const lock = readFileSync(at('package-lock.json'), 'utf8')
  const wanted = createHash('sha256').update(`${process.platform}-${process.arch}\n${lock}`).digest('hex')
  const stampFile = at('node_modules', '.milepost-installed')
  if (readOrEmpty(stampFile) === wanted) return
  if (!installedMatches(lock)) {
    say('Installing the packages of package-lock.json (npm ci). The first time takes a minute or two…')
    const began = Date.now()
    // No package may run install scripts: native packages ship binaries, which npm would compile again. Only the
    // package "node" needs its script, which installs Node 24.
    npm('ci', '--ignore-scripts', '--include=dev', '--no-audit', '--no-fund')
    npm('rebuild', 'node', '--ignore-scripts=false')
    say(`Installed in ${Math.round((Date.now() - began) / 1000)} s.`)
  }
  if (!existsSync(node24)) {
    fail(
      'Node 24 was not installed: the package "node" downloads it in its install script.',
      'Delete the folder node_modules and run the same command again.',
    )
  }
  stamp(stampFile, wanted)
}

/** Runs npm, or exits with advice. Uses the npm that runs this script, else the one in the PATH. */
function npm(command, ...args) {
  const itself = process.env.npm_execpath
  const line = [command, ...args, '--loglevel=error']
  const result =
    itself && /\.c?js$/.test(itself)
      ? spawnSync(nodeOutside(), [itself, ...line], { cwd: root, stdio: TO_STDERR })
      : spawnSync('npm', line, { cwd: root, stdio: TO_STDERR, shell: onWindows })
  if (result.error)
    fail(`npm could not be started: ${result.error.message}`, 'Install npm (it comes with Node.js) and try again.')
  if (result.status !== 0) {
    fail(
      `npm ${command} failed (exit code ${result.status}); its output is above. Nothing was started.`,
      'The most common causes are an unreachable package registry and a full disk. Fix the cause and run the same ' +
        'command again.',
    )
  }
}

/** npm may replace node_modules, so it must not run on the Node inside of it. */
function nodeOutside() {
  const name = onWindows ? 'node.exe' : 'node'
  const folders = (process.env.PATH ?? '')
    .split(path.delimiter)
    .filter((folder) => folder !== '' && !path.resolve(folder).startsWith(root))
  return (
    [process.execPath, ...folders.map((folder) => path.join(folder, name))].find(
      (file) => !file.startsWith(root) && existsSync(file),
    ) ?? process.execPath
  )
}

function buildRenderer() {
  if (!existsSync(at('renderer', 'index.html'))) return
  const wanted = hashOf(['renderer', 'contracts', 'package-lock.json', 'tsconfig.json'])
  // The stamp file is in the output folder, so that it is deleted with the build.
  const stampFile = at('build', 'renderer', '.stamp')
  if (readOrEmpty(stampFile) === wanted && existsSync(at('build', 'renderer', 'index.html'))) return
  say('Building the screens…')
  const began = Date.now()
  const config = ['renderer/vite.config.ts', 'vite.config.ts'].find((file) => existsSync(at(file)))
  const result = spawnSync(
    node24,
    [
      at('node_modules', 'vite', 'bin', 'vite.js'),
      'build',
      'renderer',
      ...(config ? ['--config', config] : []),
      '--logLevel',
      'warn',
    ],
    {
      cwd: root,
      stdio: TO_STDERR,
      // Screens are always built with the production form of the libraries, as a lane runs them.
      env: { ...process.env, NODE_ENV: 'production' },
    },
  )
  if (result.status !== 0) fail('The screens could not be built; see the error above.')
  stamp(stampFile, wanted)
  say(`Built in ${((Date.now() - began) / 1000).toFixed(1)} s.`)
}

/**
 * Installs tools for the tests. At a console, the setup asks before it installs system packages. Exits if the tests
 * need a browser and there is no browser.
 */
function provideTools({ browser }) {
  const missing = () => [
    ...(browser && !hasBrowser() ? ['a browser'] : []),
    ...missingTools().map(({ program }) => program),
  ]
  const before = missing()
  if (before.length === 0) return
  say(`Not installed: ${before.join(', ')}.`)
  spawnSync(process.execPath, [at('scripts', 'setup.mjs'), '--ask'], { cwd: root, stdio: TO_STDERR })
  const after = missing()
  if (after.includes('a browser')) fail('The tests cannot run without a browser.')
  if (after.length > 0) say(`Not installed: ${after.join(', ')}. The tests that need them are skipped.`)
}

const [major] = process.versions.node.split('.')
if (Number(major) < 18) fail(`Node ${process.versions.node} is too old. Install version 18 or later.`)
const purposes = new Set(process.argv.slice(2))
install()
if (purposes.has('screens')) buildRenderer()
if (purposes.has('tools') || purposes.has('browser')) provideTools({ browser: purposes.has('browser') })
