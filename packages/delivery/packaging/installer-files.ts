import type { MemberFile } from './member.ts'
import type { Platform } from './program-files.ts'

/**
 * Path of the main program in a slot, by platform. The package's own `milepost` is a starter, which runs the program of
 * the good slot and has no version itself.
 */
const PROGRAM: Readonly<Record<Platform['name'], string>> = {
  'linux-x64': 'milepost',
  'win-x64': 'Milepost.exe',
  'mac-arm64': 'Milepost.app/Contents/MacOS/Milepost',
  'mac-x64': 'Milepost.app/Contents/MacOS/Milepost',
  'linux-x64-browser': 'bin/node',
}

/**
 * First state of the slots, written without spaces like in packages/delivery/updates/slots.ts: a shell script searches
 * it for the good slot.
 */
export const FIRST_STATE = `${JSON.stringify({ format: 1, good: 'a', trial: null, refused: [], sequence: 0 })}\n`

/**
 * Concurrent compilation is switched off, because it can prevent Node from exiting
 * (docs/decisions/0012-memory-of-the-backend.md).
 */
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

/**
 * Shell code that exits with a message if a program runs from the folder `$to`: replacing it would mix files of two
 * versions.
 */
const REFUSE_WHILE_RUNNING = `for process in /proc/[0-9]*/exe; do
  case $(readlink -- "$process" 2>/dev/null || true) in "$to"/*)
    echo "Milepost runs from $to. Stop it first: systemctl --user stop milepost, or close its window." >&2
    echo "Milepost fonctionne dans $to. Arrêtez-le : systemctl --user stop milepost, ou fermez sa fenêtre." >&2
    exit 1 ;;
  esac
done`

const INSTALL_SH = `#!/bin/sh
# sh install.sh: installs this package in the usual folder, with milepost on the PATH of this user.
# sh install.sh FOLDER: installs it in FOLDER only.
# sh install.sh --replace [FOLDER]: replaces the installed program; the lane's data does not change.
# sh install.sh [--replace] [DOSSIER] : installe ce paquet dans le dossier habituel ou dans DOSSIER.
set -e
here=$(dirname -- "$(readlink -f -- "$0")")
to=$HOME/.local/opt/milepost bin=$HOME/.local/bin
if [ "$(id -u)" = 0 ]; then
  to=/opt/milepost bin=/usr/local/bin
  echo "Installed by root. Run milepost as the user of the terminal, not as root." >&2
  echo "Installé par root. Lancez milepost avec le compte du terminal, pas avec root." >&2
fi
replace=
if [ "$1" = --replace ]; then replace=yes; shift; fi
if [ -n "$1" ]; then to=$1 bin=; fi
mkdir -p "$(dirname -- "$to")"
to=$(cd -- "$(dirname -- "$to")" && pwd -P)/$(basename -- "$to")
if [ -e "$to" ] && [ -z "$replace" ]; then
  echo "$to already exists. To replace the program, run sh install.sh --replace, or give another folder." >&2
  echo "$to existe déjà. Pour remplacer le programme, lancez sh install.sh --replace, ou indiquez un autre dossier." >&2
  exit 1
fi
if [ -e "$to" ] && { [ ! -d "$to/slots" ] || [ ! -d "$to/store" ]; }; then
  echo "$to is not an installed Milepost. Nothing was replaced. Give the folder of the program." >&2
  echo "$to ne contient pas Milepost. Rien n'a été remplacé. Indiquez le dossier du programme." >&2
  exit 1
fi
case $here/ in "$to"/*)
  echo "This is the installed program. Run install.sh of the unpacked package." >&2
  echo "C'est le programme installé. Lancez install.sh du paquet décompressé." >&2
  exit 1 ;;
esac
${REFUSE_WHILE_RUNNING}
# Restores the old program after a replacement that was interrupted between its two renames.
if [ ! -e "$to" ] && [ -d "$to.old" ]; then mv "$to.old" "$to"; fi
store_of() { head -c 600 "$1/package.signed" 2>/dev/null | sed -n 's/.*"store":{"id":"\\([^"]*\\)".*/\\1/p'; }
old=$(store_of "$to") new=$(store_of "$here")
if [ -n "$old" ] && [ "$old" != "$new" ]; then
  echo "$to is the program of store $old, but this package is for store $new. Use the package of store $old." >&2
  echo "If the lane moves to store $new, remove the program first: sh $to/uninstall.sh" >&2
  echo "$to est le programme du magasin $old, mais ce paquet est pour le magasin $new. Prenez celui de $old." >&2
  echo "Si la caisse passe au magasin $new, désinstallez d'abord le programme : sh $to/uninstall.sh" >&2
  exit 1
fi
rm -rf "$to.new" "$to.old"
cp -R "$here" "$to.new"
if [ -e "$to" ]; then mv "$to" "$to.old"; fi
mv "$to.new" "$to"
rm -rf "$to.old"
milepost=$to/milepost
if [ -n "$bin" ]; then mkdir -p "$bin" && ln -sf "$to/milepost" "$bin/milepost" && milepost=$bin/milepost; fi
if [ -n "$replace" ]; then
  echo "Replaced in $to; the lane's data did not change. Start $milepost, then check: $milepost doctor --lane NN"
  echo "Remplacé dans $to; les données de la caisse n'ont pas changé. Lancez $milepost, puis vérifiez :"
  echo "  $milepost doctor --lane NN"
  exit 0
fi
echo "Installed in $to. Next: start $milepost and enter the code of the lane's sheet, or set it up manually first:"
echo "Installé dans $to. Lancez $milepost et entrez le code de la feuille, ou configurez d'abord la caisse :"
echo "  $milepost set-secret --lane NN; $milepost set-pin STAFF --lane NN; $milepost doctor --lane NN"
`

const UNINSTALL_SH = `#!/bin/sh
# sh uninstall.sh: removes this program and its autostart. The lane's data stays.
# sh uninstall.sh : désinstalle ce programme et son démarrage automatique. Les données de la caisse restent.
set -e
to=$(dirname -- "$(readlink -f -- "$0")")
if [ ! -d "$to/slots" ] || [ ! -d "$to/store" ]; then
  echo "$to is not an installed Milepost. Nothing was removed." >&2
  echo "$to ne contient pas Milepost. Rien n'a été supprimé." >&2
  exit 1
fi
${REFUSE_WHILE_RUNNING}
config=\${XDG_CONFIG_HOME:-$HOME/.config}
for start in "$config/systemd/user/milepost.service" "$config/autostart/milepost.desktop"; do
  if grep -qF -- "$to/milepost" "$start" 2>/dev/null; then
    rm -f "$start"
    case $start in *.service) rm -f "$config/systemd/user/graphical-session.target.wants/milepost.service" ;; esac
  fi
done
for link in "$HOME/.local/bin/milepost" /usr/local/bin/milepost; do
  if [ "$(readlink -f -- "$link" 2>/dev/null || true)" = "$to/milepost" ]; then rm -f "$link"; fi
done
rm -rf "$to"
data=\${XDG_DATA_HOME:-$HOME/.local/share}/milepost
echo "Removed: $to. The lanes' data stays, with journal, queue and key: $data, or the folder of --data."
echo "Désinstallé : $to. Les données des caisses restent, avec journal, file et clé : $data, ou le dossier de --data."
`

const INSTALL_PS1 = `# powershell -File install.ps1 [-To FOLDER] [-Replace]: installs it in FOLDER (dans DOSSIER).
param([string]$To = "$env:LOCALAPPDATA\\Programs\\Milepost", [switch]$Replace)
$ErrorActionPreference = 'Stop'
function StoreOf($Folder) {
  $signed = "$Folder\\package.signed"
  if (-not (Test-Path $signed)) { return '' }
  $text = [Text.Encoding]::UTF8.GetString([IO.File]::ReadAllBytes($signed))
  if ($text.Substring(0, [Math]::Min(600, $text.Length)) -match '"store":\\{"id":"([^"]*)"') { return $Matches[1] }
  return ''
}
if ((Test-Path $To) -and -not $Replace) {
  Write-Error "$To already exists. Replace the program with -Replace, or give another folder."
}
if (Test-Path $To) {
  if (-not (Test-Path "$To\\slots")) { Write-Error "$To is not an installed Milepost. Nothing was replaced." }
}
# Restores the old program after a replacement that was interrupted between its two renames.
elseif (Test-Path "$To.old") { Rename-Item "$To.old" (Split-Path -Leaf $To) }
$old = StoreOf $To
$new = StoreOf $PSScriptRoot
if ($old -and ($old -ne $new)) {
  Write-Error "$To is the program of store $old, but this package is for store $new (magasins $old et $new)."
}
foreach ($rest in "$To.new", "$To.old") { if (Test-Path $rest) { Remove-Item -Recurse -Force $rest } }
New-Item -ItemType Directory -Force (Split-Path $To) | Out-Null
Copy-Item -Recurse $PSScriptRoot "$To.new"
# Fails without a change while the program runs.
if (Test-Path $To) { Rename-Item $To (Split-Path -Leaf "$To.old") }
Rename-Item "$To.new" (Split-Path -Leaf $To)
if (Test-Path "$To.old") { Remove-Item -Recurse -Force "$To.old" }
if ($Replace) { Write-Output "Replaced in $To (remplacé). The lane's data did not change (données inchangées)." }
else { Write-Output "Installed in $To (installé). Next (ensuite): $To\\milepost.cmd" }
`

/**
 * Uninstaller for Windows, part of the installed program. The script first changes to the parent folder, because
 * Windows locks the working folder of a script.
 */
const UNINSTALL_PS1 = `# powershell -File uninstall.ps1: removes this program; the lane's data stays.
# powershell -File uninstall.ps1 : désinstalle ce programme; les données de la caisse restent.
$ErrorActionPreference = 'Stop'
$here = $PSScriptRoot
if (-not (Test-Path "$here\\slots") -or -not (Test-Path "$here\\store")) {
  Write-Error "$here is not an installed Milepost. Nothing was removed."
}
Set-Location (Split-Path $here)
# Fails without a change while the program runs.
Rename-Item $here (Split-Path -Leaf "$here.old")
Remove-Item -Recurse -Force "$here.old"
Write-Output "Removed (désinstallé): $here. The lanes' data stays (les données restent): $env:LOCALAPPDATA\\milepost"
`

export function installerFiles(platform: Platform): MemberFile[] {
  const file = (path: string, content: string, executable: boolean): MemberFile => ({
    path,
    bytes: Buffer.from(content),
    executable,
  })
  return platform.os === 'win32'
    ? [
        file('milepost.cmd', cmdStarter(platform), false),
        file('install.ps1', INSTALL_PS1, false),
        file('uninstall.ps1', UNINSTALL_PS1, false),
      ]
    : [
        file('milepost', shStarter(platform), true),
        file('install.sh', INSTALL_SH, true),
        file('uninstall.sh', UNINSTALL_SH, true),
      ]
}
