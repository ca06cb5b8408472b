import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { app, dialog, protocol, safeStorage, session } from 'electron'
import { createCookieJar } from './cookie-jar.ts'
import { forward } from './forward.ts'
import { keyStoreProblem, readSecrets } from './key-store.ts'
import { denyNavigation, denyPermissions } from './lockdown.ts'
import { SHELL_SCHEME } from './origin.ts'
import { defaultDataFolder } from './places.ts'
import { readProfileOutline } from './profile-outline.ts'
import { provision } from './provision.ts'
import { TerminalRefused } from './refused.ts'
import { answerShellCalls } from './shell-calls.ts'
import { readShellOptions } from './shell-options.ts'
import { startTerminal } from './terminal.ts'
import { launchUtility } from './utility.ts'
import { openWindows } from './windows.ts'

/** The shell: a window around the same terminal that runs without it. Everything it does is composed here and done elsewhere. */
const code = path.join(import.meta.dirname, '..')

app.enableSandbox()
protocol.registerSchemesAsPrivileged([{ scheme: SHELL_SCHEME, privileges: { standard: true, secure: true, supportFetchAPI: true, stream: true, codeCache: true } }])
denyNavigation(app)

async function run(): Promise<void> {
  const options = readShellOptions(process.argv.slice(app.isPackaged ? 1 : 2), app.isPackaged)
  const profileFile = options.profile ?? path.join(code, 'store', 'profile.yaml')
  const outline = readProfileOutline(profileFile)
  if (outline === null) throw new TerminalRefused(`The profile ${profileFile} cannot be read.`, 2)
  const lane = options.lane ?? outline.lanes[0]
  const dataFolder = options.data ?? defaultDataFolder(outline.storeId, lane)
  // Chromium's own files belong to the lane too, and never to another program.
  app.setPath('userData', path.join(dataFolder, 'shell'))
  await app.whenReady()

  if (options.provision !== null) {
    app.exit(await provision(options.provision, {
      outline, profileFile, lane, dataFolder,
      keyStore: safeStorage, platform: process.platform,
      provisionMain: path.join(code, 'backend', 'provision.js'),
      launch: launchUtility,
      input: process.stdin, environment: process.env,
      say: (line) => console.log(line), complain: (line) => console.error(line),
    }))
    return
  }
  if (outline.mode === 'production') {
    const problem = keyStoreProblem(safeStorage, process.platform)
    if (problem !== null) throw new TerminalRefused(problem, 2)
  }

  const socketFolder = process.platform === 'win32' ? null : mkdtempSync(path.join(tmpdir(), 'milepost-'))
  const socketPath = socketFolder === null ? `\\\\.\\pipe\\milepost-${process.pid}` : path.join(socketFolder, 'backend.sock')
  const terminal = await startTerminal({
    mode: outline.mode, profileFile, dataFolder, lane,
    listen: { kind: 'socket', path: socketPath },
    backendMain: path.join(code, 'backend', 'main.js'),
    centralMain: path.join(code, 'central', 'main.js'),
    staticFolder: app.isPackaged ? path.join(code, 'renderer') : path.join(code, '..', 'renderer'),
    launch: launchUtility,
    // Training keeps its keys in the data folder: nothing there counts, and a training machine may have no key store.
    secrets: outline.mode === 'production' ? readSecrets(safeStorage, dataFolder) : {},
    say: (line) => console.log(line),
  })
  app.on('will-quit', (event) => {
    event.preventDefault()
    void terminal.stop().finally(() => {
      if (socketFolder !== null) rmSync(socketFolder, { recursive: true, force: true })
      app.exit(0)
    })
  })
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => app.quit())
  void terminal.failed.then((failure) => {
    dialog.showErrorBox('Milepost', failure.message)
    app.quit()
  })

  const jar = createCookieJar()
  protocol.handle(SHELL_SCHEME, (request) => forward(request, { socketPath }, jar))
  denyPermissions(session.defaultSession)
  answerShellCalls()
  app.on('window-all-closed', () => app.quit())
  if (!('launchToken' in terminal.backend)) throw new TerminalRefused('The backend listens on a port inside Electron.', 1)
  await openWindows(terminal.backend.launchToken, options.kiosk)
}

run().catch((error: unknown) => {
  const message = error instanceof Error ? error.message : String(error)
  console.error(message)
  if (app.isReady()) dialog.showErrorBox('Milepost', message)
  app.exit(error instanceof TerminalRefused ? error.exitCode : 1)
})
