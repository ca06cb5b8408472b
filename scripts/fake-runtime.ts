import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'

/**
 * Fuses in the program file of an Electron runtime: a marker, the version, the number of fuses, and a character per
 * fuse, as Electron ships them.
 */
const FUSES_AS_SHIPPED = 'dL7pKGdnNz796PbbjQWNKmHXBZaB9tsX\u0001\u0009101100011'

/**
 * Creates a folder with the layout of an Electron runtime but no program, so that packages can be created and checked
 * without a download. The fake program has fuses, so that they are set as in a real one. Returns the folder.
 */
export function fakeRuntime(folder: string, version: string, platform: NodeJS.Platform = process.platform): string {
  rmSync(folder, { recursive: true, force: true })
  const write = (file: string, text: string, mode = 0o644): void => {
    const full = path.join(folder, file)
    mkdirSync(path.dirname(full), { recursive: true })
    writeFileSync(full, text, { mode })
  }
  write('version', version)
  write('LICENSE', 'This folder has no runtime.\n')
  write('LICENSES.chromium.html', '')
  for (const language of ['en-US', 'fr']) write(`locales/${language}.pak`, '')
  mkdirSync(path.join(folder, 'resources'), { recursive: true })
  const notAProgram =
    '#!/bin/sh\necho "This package was made without an Electron runtime and cannot start." >&2\nexit 1\n' +
    FUSES_AS_SHIPPED
  if (platform === 'darwin') {
    write('Electron.app/Contents/MacOS/Electron', notAProgram, 0o755)
    write(
      'Electron.app/Contents/Info.plist',
      '<?xml version="1.0" encoding="UTF-8"?><plist version="1.0"><dict/></plist>\n',
    )
  } else {
    write(platform === 'win32' ? 'electron.exe' : 'electron', notAProgram, 0o755)
  }
  return folder
}
