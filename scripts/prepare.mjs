// Runs before `npm start`, `npm test` and the other commands, on whatever Node the machine has (18 or later) and before
// anything is installed: plain JavaScript, no dependencies. Does nothing, quickly, when nothing is missing or stale.
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { hasBrowser, missingTools, node24 } from './test-tools.mjs'

const root = path.resolve(fileURLToPath(new URL('..', import.meta.url)))
const at = (...parts) => path.join(root, ...parts)
/** On standard error: what a command prints on standard output is its result, for `npm run -s … --json` too. */
const say = (line) => console.error(`[prepare] ${line}`)
const TO_STDERR = ['inherit', 2, 2]
const onWindows = process.platform === 'win32'

function fail(...lines) {
  for (const line of lines) console.error(`[prepare] ${line}`)
  process.exit(1)
}

const readOrEmpty = (file) => (existsSync(file) ? readFileSync(file, 'utf8') : '')
/** In a checkout of somebody else nothing is written: the next command looks again, which takes a moment. */
const NOT_MINE = ['EACCES', 'EPERM', 'EROFS']
function stamp(file, value) {
  try {
    mkdirSync(path.dirname(file), { recursive: true })
    writeFileSync(file, value)
  } catch (error) {
    if (!NOT_MINE.includes(error.code)) throw error
  }
}

/** One hash over names and contents of all files of some folders and files; the order does not depend on the system. */
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

/** True when what is installed is exactly what the lockfile names, so that a person's own `npm install` counts too. */
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
    // No package runs a script of its own: the native ones ship their binaries, and npm would compile them anew. Only
    // the package "node" must, because its script lays down the Node 24 that everything here runs on.
    npm('ci', '--ignore-scripts', '--include=dev', '--no-audit', '--no-fund')
    npm('rebuild', 'node', '--ignore-scripts=false')
    say(`Installed in ${Math.round((Date.now() - began) / 1000)} s.`)
  }
  if (!existsSync(node24)) {
    fail(
      'The Node 24 that Milepost runs on was not installed: the package "node" fetches it in its install script.',
      'Remove the node_modules folder, and run the same command again.',
    )
  }
  stamp(stampFile, wanted)
}

/**
 * Runs npm to its end, or ends with what to do. npm names itself to the scripts that it runs; else the one on the PATH
 * serves.
 */
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
      `npm ${command} failed (exit code ${result.status}); its own words are above. Nothing was started.`,
      'Most often the package registry could not be reached, or the disk is full. Mend that and run the same ' +
        'command again.',
    )
  }
}

/** npm may replace what is in node_modules: the Node that runs it must not be the one in there. */
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
  // The stamp lives in the output: whoever removes the build removes the stamp with it.
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
      // What is built here is what a lane runs: never the slower development form of a library, whoever starts the
      // build.
      env: { ...process.env, NODE_ENV: 'production' },
    },
  )
  if (result.status !== 0) fail('The screens could not be built; the reason is above.')
  stamp(stampFile, wanted)
  say(`Built in ${((Date.now() - began) / 1000).toFixed(1)} s.`)
}

/**
 * Installs what the tests need besides the packages; on a terminal the setup asks before it installs system packages.
 * Ends the command when the tests need a browser and there is none.
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
if (Number(major) < 18) fail(`Node ${process.versions.node} is too old: version 18 or later is needed to begin.`)
const purposes = new Set(process.argv.slice(2))
install()
if (purposes.has('screens')) buildRenderer()
if (purposes.has('tools') || purposes.has('browser')) provideTools({ browser: purposes.has('browser') })
