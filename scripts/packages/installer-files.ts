import type { MemberFile } from './member.ts'
import type { Platform } from './platforms.ts'

/** What starts the program of a package: `milepost` runs the good slot's, and has no version of its own. */
const PROGRAM: Readonly<Record<Platform['name'], string>> = {
  'linux-x64': 'milepost',
  'win-x64': 'Milepost.exe',
  'mac-arm64': 'Milepost.app/Contents/MacOS/Milepost',
  'mac-x64': 'Milepost.app/Contents/MacOS/Milepost',
  'linux-x64-browser': 'bin/node',
}

/** Written whole by delivery/whole-file.ts, without blanks: a shell finds the good slot in it. */
export const FIRST_STATE = `${JSON.stringify({ format: 1, good: 'a', trial: null, refused: [], sequence: 0 })}\n`

/** What compiles on a thread of its own can keep Node from ending (docs/decisions/0055-memory-of-the-backend.md). */
const LAUNCHER = ' --no-concurrent-sparkplug "$program/launcher/main.js"'

const shStarter = ({ name, window }: Platform): string => `#!/bin/sh
# Runs the program of the good slot.
root=$(dirname -- "$(readlink -f -- "$0")")
state=$root/slots/state.json
if ! grep -q '"good":"[ab]".*}$' "$state" 2>/dev/null; then state=$root/slots/state.kept.json; fi
slot=a
if grep -q '"good":"b"' "$state" 2>/dev/null; then slot=b; fi
if [ ! -d "$root/slots/$slot" ]; then slot=$(echo "$slot" | tr ab ba); fi
program=$root/slots/$slot
exec "$program/${PROGRAM[name]}"${window === 'browser' ? LAUNCHER : ''} "$@"
`

const cmdStarter = ({ name }: Platform): string =>
  [
    '@echo off',
    'rem Runs the program of the good slot.',
    String.raw`set "state=%~dp0slots\state.json"`,
    String.raw`findstr /c:"\"good\":" "%state%" >nul 2>nul || set "state=%~dp0slots\state.kept.json"`,
    'set "slot=a"',
    String.raw`findstr /c:"\"good\":\"b\"" "%state%" >nul 2>nul && set "slot=b"`,
    `"%~dp0slots\\%slot%\\${PROGRAM[name]}" %*`,
    '',
  ].join('\r\n')

/** Puts the unpacked package where it stays. It says what to do next, and touches no data. */
const INSTALL_SH = `#!/bin/sh
# sh install.sh: puts this package where programs are, and milepost onto the PATH of this user.
# sh install.sh FOLDER: puts it into FOLDER, and nothing anywhere else.
# sh install.sh [DOSSIER] : met ce paquet là où sont les programmes, ou dans DOSSIER.
set -e
here=$(dirname -- "$(readlink -f -- "$0")")
to=$HOME/.local/opt/milepost bin=$HOME/.local/bin
if [ "$(id -u)" = 0 ]; then
  to=/opt/milepost bin=/usr/local/bin
  echo "Installed by root. Run milepost as the user of the terminal: what root sets or starts is root's alone." >&2
  echo "Installé par root. Lancez milepost comme l'utilisateur du terminal : ce que root règle reste à root." >&2
fi
if [ -n "$1" ]; then to=$1 bin=; fi
if [ -e "$to" ]; then
  echo "$to is there already. Give another folder, or remove it first: the data of the lane is elsewhere." >&2
  echo "$to existe déjà. Donnez un autre dossier, ou enlevez-le : les données de la caisse sont ailleurs." >&2
  exit 1
fi
mkdir -p "$(dirname -- "$to")"
rm -rf "$to.new"
cp -R "$here" "$to.new"
mv "$to.new" "$to"
milepost=$to/milepost
if [ -n "$bin" ]; then mkdir -p "$bin" && ln -sf "$to/milepost" "$bin/milepost" && milepost=$bin/milepost; fi
echo "Installed in $to. Next: $milepost asks for the code of the lane's sheet, or first by hand:"
echo "Installé dans $to. Ensuite : $milepost demande le code de la feuille, ou d'abord à la main :"
echo "  $milepost set-secret --lane NN; $milepost set-pin STAFF --lane NN; $milepost doctor --lane NN"
`

const INSTALL_PS1 = `# powershell -File install.ps1 [-To FOLDER]: puts it into FOLDER (dans DOSSIER).
param([string]$To = "$env:LOCALAPPDATA\\Programs\\Milepost")
$ErrorActionPreference = 'Stop'
if (Test-Path $To) {
  Write-Error "$To is there already. Give another folder, or remove it: the lane’s data is elsewhere."
}
New-Item -ItemType Directory -Force (Split-Path $To) | Out-Null
if (Test-Path "$To.new") { Remove-Item -Recurse "$To.new" }
Copy-Item -Recurse $PSScriptRoot "$To.new"
Rename-Item "$To.new" (Split-Path -Leaf $To)
Write-Output "Installed in $To (installé). Next: $To\\milepost.cmd"
`

/** The starter and the installer of a package, by their places below its folder. */
export function installerFiles(platform: Platform): MemberFile[] {
  const file = (path: string, content: string, executable: boolean): MemberFile => ({
    path,
    bytes: Buffer.from(content),
    executable,
  })
  return platform.os === 'win32'
    ? [file('milepost.cmd', cmdStarter(platform), false), file('install.ps1', INSTALL_PS1, false)]
    : [file('milepost', shStarter(platform), true), file('install.sh', INSTALL_SH, true)]
}
