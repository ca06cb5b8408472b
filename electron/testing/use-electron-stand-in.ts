import { registerHooks } from 'node:module'

/** `node --import` of this file gives the compiled shell the stand-in as its `electron` module. */
registerHooks({
  resolve: (specifier, context, next) =>
    specifier === 'electron'
      ? { url: new URL('./electron-stand-in.ts', import.meta.url).href, shortCircuit: true }
      : next(specifier, context),
})
