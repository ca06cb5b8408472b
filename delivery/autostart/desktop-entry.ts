import { hasUnprintable, startable, type LaneStart } from './lane-start.ts'

export const ENTRY_NAME = 'milepost.desktop'

/**
 * The entry by which a desktop starts a lane when somebody signs in (Desktop Entry Specification 1.5). It starts it
 * once and no more: who wants it started again takes the unit. Throws an Error for a path that no entry can hold.
 */
export const desktopEntry = (start: LaneStart): string =>
  [
    '[Desktop Entry]',
    'Type=Application',
    'Name=Milepost',
    'Comment=Point-of-sale terminal',
    'Comment[fr]=Terminal de caisse',
    `Exec=${value(startable(start).map(quoted).join(' '))}`,
    `Path=${value(start.workingFolder)}`,
    'Terminal=false',
    'X-GNOME-Autostart-enabled=true',
    `X-Milepost-Data=${value(start.dataFolder)}`,
    '',
  ].join('\n')

/** The data folder that an entry starts a lane on; null where it says none. */
export function folderOfEntry(text: string): string | null {
  const written = /^X-Milepost-Data=(.+)$/m.exec(text)?.[1]
  return written?.replaceAll('\\\\', '\\') ?? null
}

/** Off are an entry that is hidden, and one that a person has switched off in their desktop. */
export const isEntryOn = (text: string): boolean =>
  !/^Hidden=true$/m.test(text) && !/^X-GNOME-Autostart-enabled=false$/m.test(text)

/** A value of type string: a backslash is an escape (§4, "Possible value types"). */
function value(text: string): string {
  if (hasUnprintable(text)) throw new Error(`A desktop entry cannot hold this: ${JSON.stringify(text)}`)
  return text.replaceAll('\\', '\\\\')
}

/** An argument of Exec: in quotes, four signs behind a backslash, and `%` twice, for alone it begins a field code. */
const quoted = (argument: string): string => `"${argument.replace(/["`$\\]/g, '\\$&').replaceAll('%', '%%')}"`
