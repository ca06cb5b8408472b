/** The environment without the variable that makes a plain Node of Electron: an editor's terminal hands it down. */
export function withoutNodeMode(environment: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const { ELECTRON_RUN_AS_NODE: _inherited, ...others } = environment
  return others
}
